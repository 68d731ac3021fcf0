"""Smooth bodies in matplotlib's three dimensions: what the examples share."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import superegg


def add_shape(axes: Any, shape: superegg.Shape, pose: superegg.Pose, colour: str, *, unit: float = 1.0, alpha: float = 1.0) -> None:
    """Draws a shape as shaded triangles, lengths divided by ``unit`` metres."""
    vertices, triangles = shape.triangles(300)
    placed = pose.transform(vertices) / unit
    axes.add_collection3d(Poly3DCollection(placed[triangles], facecolors=colour, shade=True, alpha=alpha))


def frame(axes: Any, middle: Any, half: float, *, title: str = "", elevation: float = 22, azimuth: float = -55) -> None:
    """A cube of space around a point, seen without axes."""
    for setter, value in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), np.asarray(middle)):
        setter(value - half, value + half)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(elevation, azimuth)
    axes.set_axis_off()
    axes.set_title(title)
