"""Differentiable distances for PyTorch: tensors in, tensors out.

>>> import torch, superegg.torch
>>> ball = superegg.superellipsoid([1, 1, 1])
>>> position = torch.tensor([3.0, 0, 0], dtype=torch.float64, requires_grad=True)
>>> distance = superegg.torch.distance(ball, ball, pose_b=position)
>>> distance.backward()
>>> distance.item(), [round(x, 9) + 0 for x in position.grad.tolist()]
(1.0, [1.0, 0.0, 0.0])
"""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from ._autodiff import Body, Question, Superquadric, prepare

__all__ = ["Superquadric", "distance"]


def distance(a: Body, b: Body, pose_a: Any = None, pose_b: Any = None, *, tolerance: float = 1e-9) -> Any:
    """Signed distances of two bodies, with gradients by every tensor that requires them.

    Bodies are a :class:`superegg.Shape`, or a :class:`Superquadric` of tensors. Poses are None, positions (…, 3), positions with quaternions x, y, z, w (…, 7), or a pair of both.
    Everything is broadcast; the answer has the first tensor's type and device. Computed in double precision on the CPU.
    """
    question, tensors = prepare((a, b), (pose_a, pose_b), tolerance, torch.broadcast_shapes, torch.broadcast_to)
    if not tensors:
        return torch.from_numpy(question.distance([]))
    return _Distance.apply(question, *tensors)


class _Distance(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, question: Question, *tensors: Any) -> Any:
        arrays = [tensor.detach().to("cpu", torch.float64).numpy() for tensor in tensors]
        like = tensors[0]
        if not any(ctx.needs_input_grad):
            return _tensor(question.distance(arrays), like)
        found, parts = question.gradients(arrays)
        ctx.save_for_backward(*(_tensor(part, tensor) for part, tensor in zip(parts, tensors)))
        return _tensor(found, like)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, by_distance: Any) -> Tuple[Any, ...]:
        weight = by_distance.unsqueeze(-1)
        return (None, *(weight.to(part) * part for part in ctx.saved_tensors))


def _tensor(array: Any, like: Any) -> Any:
    return torch.from_numpy(np.asarray(array, order="C")).to(like.device, like.dtype)
