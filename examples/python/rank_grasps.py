"""Grasps of a superegg by a hand with three fingers, ranked by their certified quality; the best is drawn.

    python rank_grasps.py [--small] [--output grasp.png]
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from drawing import add_shape, frame  # noqa: E402

import superegg  # noqa: E402


def three_fingers() -> str:
    """A URDF of a palm and three fingers of two links each, in metres."""
    parts = ['<robot name="three_fingers">', '<link name="palm"><collision><geometry>',
             '<superellipsoid radii="0.04 0.04 0.012" exponents="1 0.4"/></geometry></collision></link>']
    for finger in range(3):
        angle = 2 * math.pi * finger / 3
        x, y = 0.038 * math.cos(angle), 0.038 * math.sin(angle)
        for link, (parent, length, origin) in enumerate(
            [("palm", 0.03, f'<origin xyz="{x} {y} 0.012" rpy="0 0 {angle}"/>'),
             (f"finger{finger}_0", 0.024, '<origin xyz="0 0 0.056"/>')]
        ):
            name = f"finger{finger}_{link}"
            parts.append(
                f'<link name="{name}"><collision><origin xyz="0 0 {length}"/><geometry>'
                f'<superellipsoid radii="0.009 0.009 {length}" exponents="1 0.7"/></geometry></collision></link>'
                f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/>{origin}'
                f'<axis xyz="0 -1 0"/><limit lower="-0.5" upper="1.4" effort="1" velocity="1"/></joint>'
            )
    return "".join([*parts, "</robot>"])


def draw(axes: plt.Axes, hand: superegg.Robot, egg: superegg.Shape, grasp: superegg.Grasp) -> None:
    """In the object's frame."""
    names, shapes, on_links = hand.parts
    links = hand.link_poses(grasp.configuration)
    for at, name in enumerate(names):
        pose = grasp.base @ links[hand.link_names.index(name)] @ on_links[at]
        add_shape(axes, shapes[at], pose, "sandybrown" if name in grasp.links else "tan", unit=0.001, alpha=0.6)
    add_shape(axes, egg, superegg.Pose(), "skyblue", unit=0.001)
    axes.quiver(*(1000 * grasp.points - 18 * grasp.normals).T, *(18 * grasp.normals).T, color="crimson", linewidth=2)
    frame(axes, np.zeros(3), 70, title=f"quality {grasp.lower:.3f}, {len(grasp.links)} contacts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="few attempts, for a quick look")
    parser.add_argument("--output", type=Path, default=Path("grasp.png"))
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "three_fingers.urdf"
        path.write_text(three_fingers())
        hand = superegg.load_robot(path, allow_touching_at_rest=True)
    egg = superegg.superellipsoid(radii=[0.027, 0.027, 0.036], exponents=[1.0, 0.8])
    grasps = superegg.find_grasps(hand, egg, attempts=300 if arguments.small else 5000, friction=0.8, keep=8)
    for rank, grasp in enumerate(grasps, 1):
        print(f"{rank}: quality {grasp.lower:.4f} to {grasp.upper:.4f}, depth {grasp.depth * 1e6:.2f} µm, {', '.join(grasp.links)}")
    # The same contacts judged again, all at once, with less friction.
    for grasp in grasps[:1]:
        friction = np.linspace(0.1, 1.0, 10)
        again = superegg.grasp_quality(grasp.points, grasp.normals, friction, length=0.036)
        print("the best holds from a friction of", friction[np.argmax(again.lower > 0)].round(2))
    figure = plt.figure(figsize=(5 * max(1, min(2, len(grasps))), 5), layout="constrained")
    for at, grasp in enumerate(grasps[:2]):
        draw(figure.add_subplot(1, min(2, len(grasps)), at + 1, projection="3d"), hand, egg, grasp)
    figure.savefig(arguments.output, dpi=90)
    print(f"{len(grasps)} grasps kept: {arguments.output}")


if __name__ == "__main__":
    main()
