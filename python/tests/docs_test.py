"""What is written is true: docstrings and docs/python.md run, the tour makes its pictures, stubs name what is there."""
import ast
import doctest
import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest

import mercer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODULES = ["mercer"] + [f"mercer.{m.name}" for m in pkgutil.iter_modules(mercer.__path__)]
WITHOUT_EXAMPLES = {f"mercer.{name}" for name in ("_base", "_files", "_parameters", "_running", "_spectrum")}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    extra = {"Kernel": mercer.Kernel.__doc__} if name == "mercer._mercer" else {}
    module.__test__ = extra  # doctest does not look into classes that are not written in Python
    found = doctest.testmod(module, optionflags=FLAGS)
    assert found.failed == 0
    assert (found.attempted > 0) == (name not in WITHOUT_EXAMPLES)


@pytest.mark.parametrize("name", ["KernelPCA", "PCA", "Kernel", "function"])
def test_what_users_call_first_has_an_example(name):
    assert ">>>" in getattr(mercer, name).__doc__


def test_examples_in_the_guide():
    results = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert results.attempted > 20 and results.failed == 0


def test_the_example_of_the_readme_runs(capsys):
    block, = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert "certificate" in capsys.readouterr().out


def test_the_tour_goes_from_a_data_frame_to_pictures(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / "tour.py", "--out", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    import matplotlib.image

    for name in ("scores.png", "shares.png", "denoised.png"):
        picture = matplotlib.image.imread(tmp_path / name)
        assert picture.shape[0] > 200 and np.ptp(picture[..., :3]) > 0.5, name
    with_noise, after = (float(word) for line in done.stdout.splitlines() if line.startswith("error of a pixel")
                         for word in line.replace(",", "").split() if word[0].isdigit())
    assert after < 0.75 * with_noise


def _names_in(stub):
    """Names that a stub defines or imports under their own name."""
    found = set()
    for node in ast.parse((pathlib.Path(mercer.__file__).parent / stub).read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.update(alias.asname for alias in node.names)
    return found


def test_stubs_name_everything_that_is_public():
    assert _names_in("__init__.pyi") == set(mercer.__all__)


def test_stubs_of_the_compiled_part_name_its_members():
    compiled = mercer._mercer
    stub = ast.parse((pathlib.Path(mercer.__file__).parent / "_mercer.pyi").read_text())
    functions = {n.name for n in stub.body if isinstance(n, ast.FunctionDef)}
    assert functions == {n for n, v in vars(compiled).items() if callable(v) and not isinstance(v, type) and not n.startswith("_")}
    for name in ("Kernel", "Report", "Plan", "Run"):
        members = {n.name for c in stub.body if isinstance(c, ast.ClassDef) and c.name == name for n in c.body
                   if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")}
        assert members == {n for n in vars(getattr(compiled, name)) if not n.startswith("_")}, name
