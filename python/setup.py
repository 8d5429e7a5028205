"""Builds mercer._mercer by CMake; everything else is in pyproject.toml.

The library itself is compiled from the sources around this folder, which takes a while, unless CMake finds one that is
installed: CMAKE_PREFIX_PATH or mercer_DIR in the environment say where. CMAKE_ARGS is passed on.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent


def version():
    """Written once, in the library's header."""
    text = (HERE.parent / "include" / "mercer" / "version.hpp").read_text(encoding="utf-8")
    return re.search(r'version = "([0-9.]+)"', text).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve()
        build.mkdir(parents=True, exist_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"]
        subprocess.run(["cmake", "-S", HERE, "-B", build, *generator, *options,
                        *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", build, "--target", "_mercer", "--parallel", jobs], check=True)
        module, = (build / "mercer").glob("_mercer*.so")
        shutil.copy2(module, target)


setup(version=version(), ext_modules=[Extension("mercer._mercer", sources=[])], cmdclass={"build_ext": CMakeBuild})
