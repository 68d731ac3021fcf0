"""Distances and their gradients as functions of arrays: what the modules for torch and jax share.

A question is about two bodies. Its parameters are, for a and then for b: radii, exponents, taper, position, orientation; each an array of the batch's dimensions and one
more, or left out where the body is a :class:`superegg.Shape`, has no taper, or is not moved. Callers broadcast them; nothing here knows of automatic differentiation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidInput
from ._native import Pose, Shape, gradient, superellipsoid, superovoid
from ._native import distance as native_distance

Array = NDArray[np.float64]

#: The length of each parameter of a body.
SIZES = (3, 2, 2, 3, 4)
NAMES = ("radii", "exponents", "taper", "position", "orientation")


@dataclass(frozen=True)
class Superquadric:
    """A superellipsoid, or a superovoid where it has a taper, whose parameters are arrays of torch's or jax's."""

    #: (…, 3)
    radii: Any
    #: (…, 2)
    exponents: Any
    #: (…, 2)
    taper: Any = None


Body = Union[Shape, Superquadric]


@dataclass(frozen=True)
class Question:
    """Which parameters there are, and what is fixed."""

    #: Bodies that are shapes; None where the parameters are given.
    shapes: Tuple[Optional[Shape], Optional[Shape]]
    #: Which of the ten parameters are given.
    given: Tuple[bool, ...]
    tolerance: float

    def __hash__(self) -> int:
        return hash((id(self.shapes[0]), id(self.shapes[1]), self.given, self.tolerance))

    def distance(self, arrays: Sequence[Array]) -> Array:
        """The distances."""
        a, b, pose_a, pose_b = self._bodies(arrays)
        return np.asarray(native_distance(a, b, pose_a, pose_b, tolerance=self.tolerance).distance)

    def gradients(self, arrays: Sequence[Array]) -> Tuple[Array, List[Array]]:
        """The distances, and their derivatives by each parameter that is given."""
        a, b, pose_a, pose_b = self._bodies(arrays)
        found = gradient(a, b, pose_a, pose_b, tolerance=self.tolerance)
        slots = self._slots(arrays)
        parts: List[Array] = []
        for at, array in enumerate(slots):
            if array is None:
                continue
            side, name = "ab"[at // 5], NAMES[at % 5]
            if name == "orientation":
                parts.append(by_quaternion(getattr(found, f"rotation_{side}"), array))
            else:
                parts.append(getattr(found, f"{name}_{side}"))
        return np.asarray(found.distance), parts

    def _slots(self, arrays: Sequence[Array]) -> List[Optional[Array]]:
        rest = iter(arrays)
        return [next(rest) if given else None for given in self.given]

    def _bodies(self, arrays: Sequence[Array]) -> Tuple[Shape, Shape, Pose, Pose]:
        slots = self._slots(arrays)
        bodies: List[Shape] = []
        poses: List[Pose] = []
        for side in (0, 1):
            radii, exponents, taper, position, orientation = slots[5 * side : 5 * side + 5]
            shape = self.shapes[side]
            if shape is None:
                assert radii is not None
                shape = superellipsoid(radii, exponents) if taper is None else superovoid(radii, exponents, taper)
            bodies.append(shape)
            poses.append(Pose(position, orientation))
        return bodies[0], bodies[1], poses[0], poses[1]


def by_quaternion(by_rotation: Array, quaternion: Array) -> Array:
    """The derivative by a quaternion x, y, z, w of any length from that by a rotation vector in world coordinates.

    A change dq of q turns by the vector part of 2 dq q* / |q|²; along q itself nothing turns.
    """
    v, w = quaternion[..., :3], quaternion[..., 3:]
    by_vector = w * by_rotation - np.cross(v, by_rotation)
    by_scalar = -(by_rotation * v).sum(axis=-1, keepdims=True)
    return np.asarray(2.0 * np.concatenate([by_vector, by_scalar], axis=-1) / (quaternion**2).sum(-1, keepdims=True))


def prepare(
    bodies: Tuple[Body, Body],
    poses: Tuple[Any, Any],
    tolerance: float,
    broadcast_shapes: Callable[..., Tuple[int, ...]],
    broadcast_to: Callable[[Any, Tuple[int, ...]], Any],
) -> Tuple[Question, List[Any]]:
    """A question and its parameters, all of one batch shape; arrays are those of the caller's library."""
    slots: List[Any] = []
    shapes: List[Optional[Shape]] = []
    for name, body, pose in zip("ab", bodies, poses):
        if isinstance(body, Superquadric):
            shapes.append(None)
            slots += [body.radii, body.exponents, body.taper]
        elif isinstance(body, Shape):
            shapes.append(body)
            slots += [None, None, None]
        else:
            raise InvalidInput("give a superegg.Shape or a Superquadric of arrays", name)
        slots += split_pose(pose, f"pose_{name}")
    for at, slot in enumerate(slots):
        if slot is not None and (slot.ndim == 0 or slot.shape[-1] != SIZES[at % 5]):
            field = f"{NAMES[at % 5]}_{'ab'[at // 5]}"
            raise InvalidInput(f"an array of shape {tuple(slot.shape)} is not (…, {SIZES[at % 5]})", field)
    fixed = [shape.batch_shape for shape in shapes if shape is not None]
    batch = broadcast_shapes(*fixed, *(tuple(slot.shape[:-1]) for slot in slots if slot is not None))
    arrays = [broadcast_to(slot, (*batch, slot.shape[-1])) for slot in slots if slot is not None]
    question = Question((shapes[0], shapes[1]), tuple(slot is not None for slot in slots), tolerance)
    return question, arrays


def split_pose(pose: Any, field: str) -> List[Any]:
    """Position and orientation of a pose: None, a pair of them, positions (…, 3), or both in one (…, 7)."""
    if pose is None:
        return [None, None]
    if isinstance(pose, tuple):
        if len(pose) != 2:
            raise InvalidInput("a pose is a position and an orientation", field)
        return list(pose)
    if pose.shape[-1] == 7:
        return [pose[..., :3], pose[..., 3:]]
    return [pose, None]
