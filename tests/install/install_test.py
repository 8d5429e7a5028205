#!/usr/bin/python3
"""Installs mercer and builds a stranger's program against it, in each way there is to do that:
find_package and pkg-config against the static install, add_subdirectory, and find_package and
pkg-config against a shared install."""
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD = pathlib.Path(os.environ["MERCER_BUILD_DIR"])
CXX = os.environ.get("MERCER_CXX", "c++")
UNITY = os.environ.get("MERCER_UNITY", "OFF")  # objects are taken over: compiled alike
REUSE = f"-DCMAKE_CXX_COMPILER_LAUNCHER=/usr/bin/python3;{HERE / 'reuse_object.py'};{BUILD}"


def run(*command, **environment):
    command = [str(c) for c in command]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def build_project(source, build, *options):
    """Hardly optimised: what is tested here is that it links and runs."""
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-DCMAKE_CXX_COMPILER={CXX}", *options)
    run("cmake", "--build", build)


def library_dirs(prefix):
    return ":".join(str(p.parent.parent) for p in prefix.glob("lib*/**/pkgconfig/mercer.pc"))


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mercer-install-")
        cls.tmp = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_find_package(self, prefix, name):
        build = self.tmp / name
        build_project(HERE / "consumer", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertIn("components explain 1", run(build / "consumer"))
        if (build / "draw").exists():
            picture = build / "picture.svg"
            run(build / "draw", picture)
            self.assertIn("<svg", picture.read_text())

    def check_pkg_config(self, prefix, name):
        libraries = library_dirs(prefix)
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "mercer", PKG_CONFIG_PATH=f"{libraries}/pkgconfig"))
        program = self.tmp / name
        run(CXX, "-std=c++20", HERE / "consumer" / "main.cpp", "-o", program, *flags)
        self.assertIn("components explain 1", run(program, LD_LIBRARY_PATH=libraries))

    def test_static_install_serves_find_package_pkg_config_and_the_program(self):
        prefix = self.tmp / "static"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        self.check_find_package(prefix, "static-consumer")
        self.check_pkg_config(prefix, "static-pkg-config")
        program = prefix / "bin" / "mercer"
        self.assertIn("0.", run(program, "--version"))
        # The demo finds its data beside the installed program, not in the source tree.
        self.assertTrue((prefix / "share" / "mercer" / "examples" / "digits.csv.gz").exists())

    def test_subproject_and_shared_install(self):
        prefix, build = self.tmp / "shared", BUILD / "tests" / "subproject"
        build_project(HERE / "subproject", build, f"-DMERCER_SOURCE={SOURCE}", f"-DMERCER_UNITY={UNITY}", REUSE)
        self.assertIn("components explain 1", run(build / "consumer"))
        run("cmake", "--install", build, "--prefix", prefix)
        self.check_find_package(prefix, "shared-consumer")
        self.check_pkg_config(prefix, "shared-pkg-config")


if __name__ == "__main__":
    unittest.main(verbosity=2)
