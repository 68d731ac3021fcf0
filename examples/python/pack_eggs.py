"""Ten eggs packed by optimising their poses: Newton's method with second derivatives beside gradient descent.

What is minimised is how far the eggs are from the origin, with a penalty on every pair that is nearer than nothing: with d the signed distance of a pair,
``E = Σ |p|² / 2 + w Σ min(d, 0)² / 2``. Its gradient is ``p + w d ∇d``, and its second derivatives need those of the distance, ``w (∇d ∇dᵀ + d ∇²d)``: gradient descent
goes by the first alone, Newton's method (damped as Levenberg and Marquardt do it) by both.

    python pack_eggs.py [--small] [--output eggs.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Callable, Tuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from drawing import add_shape, frame  # noqa: E402

import superegg  # noqa: E402

EGG = superegg.superovoid(radii=[0.7, 0.7, 1.0], taper=[-0.2, -0.2])
WEIGHT = 100.0
COUNT = 10
FIRST, SECOND = np.triu_indices(COUNT, 1)

State = Tuple[np.ndarray, np.ndarray]


def energy(state: State) -> float:
    position, orientation = state
    pose = superegg.Pose(position, orientation)
    apart = superegg.distance(EGG, EGG, pose[FIRST], pose[SECOND]).distance
    return float(0.5 * (position**2).sum() + 0.5 * WEIGHT * (np.minimum(apart, 0) ** 2).sum())


def derivatives(state: State) -> Tuple[np.ndarray, np.ndarray]:
    """Gradient and matrix of second derivatives by positions and rotation vectors, six numbers an egg."""
    position, orientation = state
    pose = superegg.Pose(position, orientation)
    found = superegg.second_derivatives(EGG, EGG, pose[FIRST], pose[SECOND])
    depth = np.minimum(found.distance, 0)
    slope, curvature = np.zeros(6 * COUNT), np.zeros((6 * COUNT, 6 * COUNT))
    slope.reshape(COUNT, 6)[:, :3] = position
    curvature[np.arange(6 * COUNT).reshape(COUNT, 6)[:, :3].ravel(), np.arange(6 * COUNT).reshape(COUNT, 6)[:, :3].ravel()] = 1
    for pair in np.flatnonzero(depth < 0):
        rows = np.concatenate([np.arange(6) + 6 * FIRST[pair], np.arange(6) + 6 * SECOND[pair]])
        by = found.first[pair]
        slope[rows] += WEIGHT * depth[pair] * by
        curvature[np.ix_(rows, rows)] += WEIGHT * (np.outer(by, by) + depth[pair] * found.second[pair])
    return slope, curvature


def moved(state: State, step: np.ndarray) -> State:
    """Eggs shifted, and turned by small rotation vectors in world coordinates."""
    step = step.reshape(COUNT, 6)
    turn, old = np.concatenate([step[:, 3:] / 2, np.ones((COUNT, 1))], axis=1), state[1]
    vector = turn[:, 3:] * old[:, :3] + old[:, 3:] * turn[:, :3] + np.cross(turn[:, :3], old[:, :3])
    scalar = turn[:, 3:] * old[:, 3:] - (turn[:, :3] * old[:, :3]).sum(axis=1, keepdims=True)
    new = np.concatenate([vector, scalar], axis=1)
    return state[0] + step[:, :3], new / np.linalg.norm(new, axis=1, keepdims=True)


def minimise(state: State, rounds: int, direction: Callable[[np.ndarray, np.ndarray, float], np.ndarray]) -> Tuple[State, list[float]]:
    """Steps that lower the energy are taken, with less damping from then on; others are tried again with more, until none lowers it."""
    damping, values = 1.0, [energy(state)]
    for _ in range(rounds):
        slope, curvature = derivatives(state)
        for _ in range(30):
            trial = moved(state, direction(slope, curvature, damping))
            value = energy(trial)
            if value < values[-1]:
                state, damping = trial, max(damping / 4, 1e-9)
                break
            damping *= 3
        else:
            break
        values.append(value)
    return state, values


def newton(slope: np.ndarray, curvature: np.ndarray, damping: float) -> np.ndarray:
    # Directions along which the energy bends down are taken by the amount of it: the step goes downhill along all of them.
    values, vectors = np.linalg.eigh(curvature)
    return -vectors @ ((vectors.T @ slope) / (np.abs(values) + damping))


def descent(slope: np.ndarray, curvature: np.ndarray, damping: float) -> np.ndarray:
    # The best step length of plain descent is found by the same damping.
    return -slope / (1.0 + damping)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="few steps, for a quick look")
    parser.add_argument("--output", type=Path, default=Path("eggs.png"))
    arguments = parser.parse_args()

    rng = np.random.default_rng(7)
    start = (rng.normal(size=(COUNT, 3)) * 1.5, rng.normal(size=(COUNT, 4)))
    start = (start[0], start[1] / np.linalg.norm(start[1], axis=1, keepdims=True))
    rounds = 12 if arguments.small else 200
    packed, by_newton = minimise(start, rounds, newton)
    _, by_descent = minimise(start, rounds, descent)
    slope, _ = derivatives(packed)
    pose = superegg.Pose(*packed)
    deepest = superegg.distance(EGG, EGG, pose[FIRST], pose[SECOND]).distance.min()
    print(f"energy {by_newton[0]:.3f} at first; after at most {rounds} steps: Newton {by_newton[-1]:.6f}, gradient descent {by_descent[-1]:.6f}")
    print(f"Newton's gradient is {np.abs(slope).max():.1e}; the deepest pair overlaps by {-min(deepest, 0):.3f} m")

    figure = plt.figure(figsize=(11, 5), layout="constrained")
    plot = figure.add_subplot(1, 2, 1)
    least = min(by_newton[-1], by_descent[-1])
    plot.semilogy(np.maximum(np.array(by_descent) - least, 1e-12), label="gradient descent")
    plot.semilogy(np.maximum(np.array(by_newton) - least, 1e-12), label="Newton, with second derivatives")
    plot.set(xlabel="steps", ylabel="energy above the least that was found", title="Ten eggs, sixty numbers")
    plot.legend()
    axes = figure.add_subplot(1, 2, 2, projection="3d")
    for at, colour in enumerate(plt.get_cmap("tab10").colors):
        add_shape(axes, EGG, pose[at], colour)
    frame(axes, packed[0].mean(axis=0), 1.7, title="packed")
    figure.savefig(arguments.output, dpi=90)
    print(arguments.output)


if __name__ == "__main__":
    main()
