"""Robots from files, and from yourdfpy."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from typing import Any, Sequence, Union

from ._native import Robot


def load_robot(
    source: Union[str, "os.PathLike[str]", Any],
    *,
    package_path: Sequence[Union[str, "os.PathLike[str]"]] = (),
    strict: bool = False,
    parts: Union[int, str] = 1,
    kind: str = "superovoid",
    enclose: bool = True,
    visual: bool = False,
    allow_touching_at_rest: bool = False,
) -> Robot:
    """A robot from a URDF, MJCF or SDFormat file, or from a robot of yourdfpy's; ``'right-hand'`` and ``'left-hand'`` are built in.

    Meshes of links become smooth shapes: ``parts`` of them a link (a number or ``'auto'``), of the ``kind`` superellipsoid or superovoid, which enclose the meshes
    unless told otherwise. Everything in the file that was ignored, repaired or missing is in :attr:`Robot.diagnostics`, or refused with ``strict``. Links that touch where all
    joints are at rest are not checked with ``allow_touching_at_rest``.

    >>> import superegg
    >>> hand = superegg.load_robot("right-hand")
    >>> hand
    Robot("right_hand", 21 links, 15 joints, 21 parts)
    """
    options: dict[str, Any] = {
        "package_path": [os.fspath(path) for path in package_path],
        "strict": strict,
        "parts": parts,
        "kind": kind,
        "enclose": enclose,
        "visual": visual,
        "allow_touching_at_rest": allow_touching_at_rest,
    }
    if hasattr(source, "write_xml_string"):
        return Robot._load("robot.urdf", _text_of(source), **options)
    return Robot._load(os.fspath(source), **options)


def _text_of(robot: Any) -> str:
    """The URDF of a robot of yourdfpy's, its mesh files as that robot finds them."""
    text = robot.write_xml_string()
    tree = ElementTree.fromstring(text)
    find = getattr(robot, "_filename_handler", None)
    for mesh in tree.iter("mesh"):
        name = mesh.get("filename")
        if name is not None and find is not None:
            mesh.set("filename", os.path.abspath(find(name)))
    return ElementTree.tostring(tree, encoding="unicode")
