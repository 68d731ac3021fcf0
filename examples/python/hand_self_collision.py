"""A hand that closes into a fist: the distances of its links along the way, and when the first two of them touch.

    python hand_self_collision.py [--small] [--output hand.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from drawing import add_shape, frame  # noqa: E402

import superegg  # noqa: E402


def draw(axes: plt.Axes, hand: superegg.Robot, configuration: np.ndarray, touching: set[str]) -> None:
    names, shapes, on_links = hand.parts
    links = hand.link_poses(configuration)
    index = {name: at for at, name in enumerate(hand.link_names)}
    for at, name in enumerate(names):
        pose = links[index[name]] @ on_links[at]
        add_shape(axes, shapes[at], pose, "crimson" if name in touching else "tan", unit=0.001)
    frame(axes, links.position.mean(axis=0) * 1000, 50)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="few samples, for a quick look")
    parser.add_argument("--output", type=Path, default=Path("hand.png"))
    arguments = parser.parse_args()

    hand = superegg.load_robot("right-hand", allow_touching_at_rest=True)
    closed = np.where(hand.upper > -hand.lower, hand.upper, hand.lower)
    samples = np.linspace(0, 1, 15 if arguments.small else 150)[:, None] * closed
    report = hand.check_trajectory(samples)
    found = hand.distances(samples)

    figure = plt.figure(figsize=(11, 5), layout="constrained")
    plot = figure.add_subplot(1, 2, 1)
    progress = np.linspace(0, 100, len(samples))
    nearest = np.argsort(found.distance.min(axis=0))[:6]
    for pair in nearest:
        plot.plot(progress, found.distance[:, pair] * 1000, label=" – ".join(hand.pairs[pair]))
    plot.axhline(0, color="black", linewidth=0.8)
    plot.set(xlabel="closed in %", ylabel="distance in mm", title="Links of a hand that closes")
    plot.legend(fontsize=7)
    shown, touching = samples[-1], set()
    if report.first_contact is not None:
        sample, a, b = report.first_contact
        touching = {a, b}
        plot.axvline(100 * sample / (len(samples) - 1), color="crimson", linestyle="--")
        before = int(sample)
        after = min(before + 1, len(samples) - 1)
        shown = samples[before] + (sample - before) * (samples[after] - samples[before])
        print(f"{a} and {b} touch at {100 * sample / (len(samples) - 1):.2f} % of the way")
    else:
        print("nothing touches")
    draw(figure.add_subplot(1, 2, 2, projection="3d"), hand, shown, touching)
    figure.savefig(arguments.output, dpi=90)
    print(f"{len(samples)} samples of {len(hand.pairs)} pairs: {arguments.output}")


if __name__ == "__main__":
    main()
