"""A cloth that falls over an egg and a rounded box, as a film.

    python cloth_drop.py [--small] [--output cloth.gif]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from drawing import add_shape, frame  # noqa: E402
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: E402
from PIL import Image  # noqa: E402

import superegg  # noqa: E402


def sheet(count: int, size: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a square, its diagonals alternating."""
    line = np.linspace(-size / 2, size / 2, count)
    x, y = np.meshgrid(line, line, indexing="ij")
    vertices = np.stack([x.ravel(), y.ravel(), np.full(count * count, height)], axis=1)
    triangles = []
    for i in range(count - 1):
        for j in range(count - 1):
            a, b, c, d = i * count + j, (i + 1) * count + j, (i + 1) * count + j + 1, i * count + j + 1
            triangles += [[a, b, c], [a, c, d]] if (i + j) % 2 else [[a, b, d], [b, c, d]]
    return vertices, np.array(triangles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a coarse cloth and few pictures, for a quick look")
    parser.add_argument("--output", type=Path, default=Path("cloth.gif"))
    arguments = parser.parse_args()

    world = superegg.Simulation()
    egg = superegg.superovoid(radii=[0.3, 0.3, 0.42], taper=[-0.2, -0.2])
    box = superegg.superellipsoid(radii=[0.25, 0.25, 0.2], exponents=[0.2, 0.2])
    places = superegg.Pose([[-0.35, 0, 0.42], [0.4, 0.1, 0.2]])
    world.add_body(superegg.plane([0, 0, 1]))
    world.add_body(superegg.stack([egg, box]), places)
    vertices, triangles = sheet(16 if arguments.small else 40, 1.8, 1.0)
    cloth = world.add_cloth(vertices, triangles, self_separation=0.008)

    pictures, count = [], 6 if arguments.small else 40
    figure = plt.figure(figsize=(5, 4))
    for _ in range(count):
        figure.clf()
        axes = figure.add_axes((0, 0, 1, 1), projection="3d")
        add_shape(axes, egg, places[0], "burlywood")
        add_shape(axes, box, places[1], "burlywood")
        at = world.cloth_vertices(cloth)
        axes.add_collection3d(Poly3DCollection(at[triangles], facecolors="steelblue", shade=True))
        frame(axes, [0, 0, 0.45], 0.75)
        figure.canvas.draw()
        pictures.append(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3]))
        world.step(0.005, count=8)
    pictures[0].save(arguments.output, save_all=True, append_images=pictures[1:], duration=60, loop=0)
    depth = min(superegg.closest_point(shape, at, places[i]).distance.min() for i, shape in enumerate((egg, box)))
    print(f"{world.time:.2f} s, the cloth is never nearer than {1000 * depth:.1f} mm to a body: {arguments.output}")


if __name__ == "__main__":
    main()
