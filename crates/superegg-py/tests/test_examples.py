"""The scripts in examples/python, in their small form: each runs and makes a picture with something in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import superegg

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def run(name: str, *arguments: str, folder: Path) -> str:
    # Matplotlib's cache of fonts is made once for all of them.
    environment = {**os.environ, "MPLCONFIGDIR": str(Path(os.environ.get("TMPDIR", "/tmp")) / "superegg-matplotlib")}
    program = [sys.executable, str(EXAMPLES / name), "--small", *arguments]
    done = subprocess.run(program, capture_output=True, text=True, cwd=folder, timeout=300, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def picture(path: Path) -> np.ndarray:
    pil = pytest.importorskip("PIL.Image")
    image = np.asarray(pil.open(path).convert("RGB"))
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50, "the picture is empty"
    return image


@pytest.fixture(autouse=True)
def needs_matplotlib():
    pytest.importorskip("matplotlib")


def test_distance_field(tmp_path):
    said = run("distance_field.py", "--output", "out.png", folder=tmp_path)
    assert said.startswith("3600 distances")
    picture(tmp_path / "out.png")


def test_hand_self_collision(tmp_path):
    said = run("hand_self_collision.py", "--output", "out.png", folder=tmp_path)
    found = re.search(r"(\w+) and (\w+) touch at ([\d.]+) %", said)
    assert found
    picture(tmp_path / "out.png")
    # By sampling: free before, not free after.
    hand = superegg.load_robot("right-hand", allow_touching_at_rest=True)
    closed = np.where(hand.upper > -hand.lower, hand.upper, hand.lower)
    at = float(found[3]) / 100
    assert hand.is_free(closed * (at - 0.002)) and not hand.is_free(closed * (at + 0.002))


def test_rank_grasps(tmp_path):
    said = run("rank_grasps.py", "--output", "out.png", folder=tmp_path)
    qualities = [float(value) for value in re.findall(r"quality ([\d.]+) to", said)]
    assert qualities and qualities == sorted(qualities, reverse=True) and qualities[-1] > 0
    picture(tmp_path / "out.png")


def test_pack_eggs(tmp_path):
    said = run("pack_eggs.py", "--output", "out.png", folder=tmp_path)
    first, newton, descent = (float(value) for value in re.search(r"energy ([\d.]+) .*Newton ([\d.]+), .* ([\d.]+)\n", said).groups())
    assert newton < descent < first
    picture(tmp_path / "out.png")


def test_cloth_drop(tmp_path):
    pil = pytest.importorskip("PIL.Image")
    said = run("cloth_drop.py", "--output", "out.gif", folder=tmp_path)
    assert float(re.search(r"nearer than ([\d.]+) mm", said)[1]) > 0
    with pil.open(tmp_path / "out.gif") as film:
        assert film.n_frames == 6
    picture(tmp_path / "out.gif")


def test_the_benchmark_runs(tmp_path):
    said = run("benchmark.py", folder=tmp_path)
    assert "| batch of 10,000 shapes, through Python |" in said
