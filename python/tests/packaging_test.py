"""The package installs by pip inside a venv and as a wheel, without network, against an installed library.

Compiles the bindings anew, so it runs where MERCER_BUILD_DIR names a build of the library to install from.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRY_IT = """
import mercer, numpy as np
X = np.random.RandomState(0).rand(50, 3)
assert "site-packages" in mercer.__file__, mercer.__file__
print(mercer.__version__, mercer.KernelPCA(2, kernel="rbf").fit_transform(X).shape)
"""

pytestmark = pytest.mark.skipif("MERCER_BUILD_DIR" not in os.environ, reason="no build of the library is named")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of what pip needs, so that nothing is written beside the sources."""
    folder = tmp_path_factory.mktemp("sources")
    shutil.copytree(ROOT / "python", folder / "python", ignore=shutil.ignore_patterns("build", "dist", "*.egg-info"))
    (folder / "include" / "mercer").mkdir(parents=True)
    shutil.copy(ROOT / "include" / "mercer" / "version.hpp", folder / "include" / "mercer")
    return folder / "python"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", os.environ["MERCER_BUILD_DIR"], "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    quickly = "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_CXX_FLAGS=-fpch-preprocess"  # it is the package that is tried, not its speed
    if shutil.which("ccache"):  # the second test, or the next run, in another folder
        kept.update(CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_BASEDIR=str(tmp_path_factory.getbasetemp()), CCACHE_NOHASHDIR="1",
                    CCACHE_SLOPPINESS="pch_defines,time_macros")
    return {**kept, "CMAKE_PREFIX_PATH": str(prefix), "PIP_NO_INDEX": "1", "CMAKE_ARGS": quickly}


@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
    return folder / "bin"


def run(*command, env, cwd):
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pip_installs_it_into_a_venv(sources, environment, venv, tmp_path):
    run(venv / "pip", "install", "--no-build-isolation", sources, env=environment, cwd=tmp_path)
    assert run(venv / "python", "-c", TRY_IT, env=environment, cwd=tmp_path).endswith("(50, 2)\n")


def test_a_wheel_has_the_module_the_stubs_and_nothing_else(sources, environment, tmp_path):
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, sources, env=environment, cwd=tmp_path)
    wheel, = tmp_path.glob("mercer-*.whl")
    names = [name.split("/", 1)[1] for name in zipfile.ZipFile(wheel).namelist() if name.startswith("mercer/")]
    modules = [name for name in names if name.endswith(".so")]
    assert len(modules) == 1 and modules[0].startswith("_mercer.cpython-")
    expected = {p.name for pattern in ("*.py", "*.pyi", "py.typed") for p in (ROOT / "python" / "mercer").glob(pattern)}
    assert set(names) - set(modules) == expected
