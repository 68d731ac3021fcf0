"""Examples in docstrings, and what every public name owes its reader."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import superegg


def documented() -> Iterator[tuple[str, Any]]:
    yield "superegg", superegg
    for name in superegg.__all__:
        thing = getattr(superegg, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                    yield f"{name}.{member}", value


THINGS = dict(documented())


@pytest.mark.parametrize("name", THINGS)
def test_examples_hold(name):
    thing = THINGS[name]
    doc = inspect.getdoc(thing)
    assert doc, f"{name} is not documented"
    test = doctest.DocTestParser().get_doctest(doc, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL)
    with np.printoptions(legacy=False):
        runner.run(test)
    assert runner.failures == 0


def blocks(name: str) -> list[str]:
    text = (Path(__file__).parents[3] / name).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_programs_in_the_documents_run(name, capsys):
    # In one namespace, as a reader would try them one after the other.
    names: dict[str, Any] = {}
    found = blocks(name)
    assert found
    for block in found:
        if "import torch" in block and importlib.util.find_spec("torch") is None:
            continue
        exec(compile(block, name, "exec"), names)
    assert capsys.readouterr().out


def test_stubs_are_those_of_the_module():
    pytest.importorskip("mypy")
    checked = subprocess.run([sys.executable, "-m", "mypy.stubtest", "superegg._native"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
