#!/usr/bin/python3
"""A compiler launcher: takes the library's object files from a build that has them already, and compiles the rest.

Objects there are position independent, so they make a shared library as well; compiling them again would take minutes and show
nothing but that the compiler still compiles them.  reuse_object.py BUILD_DIR COMPILER ARGUMENTS...
"""
import os
import shutil
import sys

build, command = sys.argv[1], sys.argv[2:]
output = command[command.index("-o") + 1] if "-o" in command else ""
ready = os.path.join(build, "CMakeFiles", "mercer.dir", output.partition("mercer.dir/")[2])
if "/mercer.dir/" in output and output.endswith(".o") and os.path.exists(ready):
    shutil.copyfile(ready, output)
    if "-MF" in command:  # no dependencies: this build is made once
        with open(command[command.index("-MF") + 1], "w", encoding="utf-8") as file:
            file.write(f"{output}:\n")
else:
    os.execvp(command[0], command)
