"""Examples in docstrings, and what every public name owes its reader."""

from __future__ import annotations

import doctest
import inspect
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
