"""docs/python_methods.md: its examples run, and it has one for every estimator and function that is public."""
import doctest
import pathlib

import mercer

GUIDE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "python_methods.md"


def test_examples_in_the_guide():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(GUIDE), module_relative=False, optionflags=flags, encoding="utf-8")
    assert results.attempted > 30 and results.failed == 0


def test_every_method_has_an_example_there_and_in_its_docstring():
    text = GUIDE.read_text(encoding="utf-8")
    for name in set(mercer._WHERE) - {"KernelPCA", "PCA", "function", "load", "read_tensor", "write_tensor", "generators"}:
        assert f"mercer.{name}(" in text, name
        assert ">>>" in getattr(mercer, name).__doc__, name
