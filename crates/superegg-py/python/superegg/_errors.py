"""The exceptions of superegg: each carries what the command line's errors carry."""

from __future__ import annotations

from typing import Optional, Tuple


class Error(Exception):
    """Base class of superegg's exceptions."""


class InvalidInput(Error, ValueError):
    """An argument outside its domain. Nothing is clamped or guessed: the caller is told which field to mend.

    >>> import superegg
    >>> try:
    ...     superegg.superellipsoid([[1, 1, 1], [1, -1, 1]])
    ... except superegg.InvalidInput as refused:
    ...     print(refused.field, refused.value, refused.index)
    radii[1] -1.0 (1,)
    """

    #: The path of the field, such as ``radii[2]`` or ``pose_a.position[0]``.
    field: str
    #: What is wrong with it.
    message: str
    #: The number that was refused, where it was one.
    value: Optional[float]
    #: The item of the batch, where there is one.
    index: Optional[Tuple[int, ...]]

    def __init__(
        self, message: str, field: str, value: Optional[float] = None, index: Optional[Tuple[int, ...]] = None
    ) -> None:
        super().__init__(message, field, value, index)
        self.message, self.field, self.value, self.index = message, field, value, index

    def __str__(self) -> str:
        item = "" if self.index is None else f" of item {self.index}"
        return f"{self.field}{item}: {self.message}"


class Unsupported(Error, NotImplementedError):
    """The question is understood, but there is no method for it.

    >>> import superegg
    >>> floor = superegg.plane([0, 0, 1])
    >>> superegg.gradient(superegg.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), floor)
    Traceback (most recent call last):
    superegg._errors.Unsupported: gradient is not defined for a mesh
    """

    #: What there is no method for.
    message: str
    #: The item of the batch, where there is one.
    index: Optional[Tuple[int, ...]]

    def __init__(self, message: str, index: Optional[Tuple[int, ...]] = None) -> None:
        super().__init__(message, index)
        self.message, self.index = message, index

    def __str__(self) -> str:
        return self.message if self.index is None else f"item {self.index}: {self.message}"
