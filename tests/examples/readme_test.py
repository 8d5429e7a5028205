"""The README keeps its word: its C++ example is the file that is compiled, its command lines run as printed."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
README = pathlib.Path(ROOT, "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


class Readme(unittest.TestCase):
    def test_the_cpp_example_is_the_one_that_is_compiled(self):
        source = pathlib.Path(ROOT, "examples", "kernel_pca.cpp").read_text(encoding="utf-8")
        self.assertIn(source.split("\n", 1)[1].strip(), "\n".join(blocks("cpp")))

    @unittest.skipUnless(os.environ.get("MERCER_PROGRAM"), "the program is not built here")
    def test_the_command_lines_run_as_printed(self):
        lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("mercer ")]
        self.assertGreaterEqual(len(lines), 4)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
            os.mkdir(os.path.join(folder, "bin"))
            os.symlink(os.environ["MERCER_PROGRAM"], os.path.join(folder, "bin", "mercer"))
            environment = {**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"]}
            for line in lines:
                done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def test_links_and_pictures_exist(self):
        for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", README):
            path = target[0] or target[1]
            if "://" not in path:
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)


if __name__ == "__main__":
    unittest.main()
