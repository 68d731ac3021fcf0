"""Differentiable distances for JAX: arrays in, arrays out, under ``jit``, ``vmap`` and ``grad``.

>>> import jax, jax.numpy as jnp, superegg.jax
>>> jax.config.update("jax_enable_x64", True)
>>> ball = superegg.superellipsoid([1, 1, 1])
>>> gap = lambda position: superegg.jax.distance(ball, ball, pose_b=position)
>>> value, slope = jax.value_and_grad(gap)(jnp.array([3.0, 0, 0]))
>>> float(value), [round(float(x), 9) + 0 for x in slope]
(1.0, [1.0, 0.0, 0.0])
"""

from __future__ import annotations

from functools import partial
from typing import Any, List, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from ._autodiff import Body, Question, Superquadric, prepare

__all__ = ["Superquadric", "distance"]


def distance(a: Body, b: Body, pose_a: Any = None, pose_b: Any = None, *, tolerance: float = 1e-9) -> Any:
    """Signed distances of two bodies, differentiable once by every array.

    Bodies are a :class:`superegg.Shape`, or a :class:`Superquadric` of arrays. Poses are None, positions (…, 3), positions with quaternions x, y, z, w (…, 7), or a pair of both.
    Everything is broadcast; the answer has the first array's type. Computed in double precision on the CPU, by a callback.
    """
    question, arrays = prepare((a, b), (pose_a, pose_b), tolerance, jnp.broadcast_shapes, jnp.broadcast_to)
    if not arrays:
        return jnp.asarray(question.distance([]))
    return _distance(question, *arrays)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _distance(question: Question, *arrays: Any) -> Any:
    kind = arrays[0].dtype

    def ask(*values: Any) -> Any:
        return question.distance([np.asarray(value, np.float64) for value in values]).astype(kind)

    shape = jax.ShapeDtypeStruct(arrays[0].shape[:-1], kind)
    return jax.pure_callback(ask, shape, *arrays, vmap_method="broadcast_all")


def _forward(question: Question, *arrays: Any) -> Tuple[Any, List[Any]]:
    kind, batch = arrays[0].dtype, arrays[0].shape[:-1]

    def ask(*values: Any) -> Tuple[Any, ...]:
        found, parts = question.gradients([np.asarray(value, np.float64) for value in values])
        return (found.astype(kind), *(np.ascontiguousarray(part, kind) for part in parts))

    shapes = (
        jax.ShapeDtypeStruct(batch, kind),
        *(jax.ShapeDtypeStruct((*batch, array.shape[-1]), kind) for array in arrays),
    )
    found, *parts = jax.pure_callback(ask, shapes, *arrays, vmap_method="broadcast_all")
    return found, parts


def _backward(question: Question, parts: List[Any], by_distance: Any) -> Tuple[Any, ...]:
    del question
    return tuple(by_distance[..., None] * part for part in parts)


_distance.defvjp(_forward, _backward)
