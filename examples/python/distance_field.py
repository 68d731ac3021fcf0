"""The signed distance field of an egg in a plane through its axis, with the closest points of some places.

    python distance_field.py [--small] [--output field.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import superegg  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="few samples, for a quick look")
    parser.add_argument("--output", type=Path, default=Path("field.png"))
    arguments = parser.parse_args()

    egg = superegg.superovoid(radii=[0.7, 0.7, 1.0], exponents=[1.0, 0.95], taper=[-0.25, -0.25])
    count = 60 if arguments.small else 600
    x, z = np.meshgrid(np.linspace(-1.6, 1.6, count), np.linspace(-1.8, 1.8, count))
    field = superegg.closest_point(egg, np.stack([x, np.zeros_like(x), z], axis=-1))

    figure, axes = plt.subplots(figsize=(6, 6.5), layout="constrained")
    limit = float(np.abs(field.distance).max())
    image = axes.pcolormesh(x, z, field.distance, cmap="RdBu", vmin=-limit, vmax=limit, shading="auto")
    axes.contour(x, z, field.distance, levels=np.arange(-0.6, 1.7, 0.1), colors="black", linewidths=0.4)
    axes.contour(x, z, field.distance, levels=[0], colors="black", linewidths=2)
    places = np.array([[1.3, 0, 1.3], [-1.4, 0, 0.4], [1.2, 0, -1.4], [-0.9, 0, -1.5]])
    found = superegg.closest_point(egg, places)
    for place, nearest in zip(places, found.point):
        axes.plot([place[0], nearest[0]], [place[2], nearest[2]], "k.-", linewidth=1.2)
    axes.set(aspect="equal", xlabel="x in metres", ylabel="z in metres", title="Signed distance of an egg")
    figure.colorbar(image, label="metres")
    figure.savefig(arguments.output, dpi=100)
    width = (field.upper - field.lower).max()
    print(f"{field.distance.size} distances, deepest {field.distance.min():.4f} m, bounds within {width:.1e} m: {arguments.output}")


if __name__ == "__main__":
    main()
