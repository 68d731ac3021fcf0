"""Jobs over Parquet files: every row exactly once, the same answers as one process, with workers lost in the middle."""

from __future__ import annotations

import doctest
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import superegg

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
from superegg import scale  # noqa: E402

BALL = superegg.superellipsoid([1, 1, 1])
ROWS = 6000


def clearance(columns):
    """Distances of eggs from a ball: the job."""
    egg = superegg.superellipsoid(columns["radii"])
    answer = superegg.distance(egg, BALL, pose_b=columns["position"])
    return {"id": columns["id"], "distance": answer.distance, "normal": answer.normal}


def dies_once(columns):
    """The same, but the worker that gets row 2500 first is killed, as a machine that is switched off."""
    marker = os.environ["SUPEREGG_TEST_MARKER"]
    if 2500 in columns["id"] and not os.path.exists(marker):
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return clearance(columns)


def always_dies(columns):
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(columns):
    superegg.superellipsoid(-columns["radii"])


def too_short(columns):
    return {"id": columns["id"][:-1]}


@pytest.fixture
def job(tmp_path, rng, monkeypatch):
    """Two files of several row groups each."""
    source = tmp_path / "in"
    source.mkdir()
    for number in range(2):
        rows = np.arange(ROWS // 2) + number * ROWS // 2
        flat = lambda width: pa.FixedSizeListArray.from_arrays(pa.array(rng.uniform(0.5, 2, ROWS // 2 * width)), width)  # noqa: E731, B023
        pq.write_table(pa.table({"id": rows, "radii": flat(3), "position": flat(3)}), source / f"{number}.parquet", row_group_size=700)
    monkeypatch.setenv("SUPEREGG_TEST_MARKER", str(tmp_path / "marker"))
    # Workers import this file.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent) + os.pathsep + os.environ.get("PYTHONPATH", ""))
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    scale.map_files(clearance, source, tmp_path / "reference", batch_size=1000, workers=0)
    return source, tmp_path


def assert_exactly_once(job, folder):
    found, reference = scale.read(folder), scale.read(job[1] / "reference")
    np.testing.assert_array_equal(found["id"], np.arange(ROWS))
    np.testing.assert_array_equal(found["distance"], reference["distance"])
    np.testing.assert_array_equal(found["normal"], reference["normal"])


def test_processes_answer_every_row_once(job):
    source, folder = job
    done = scale.map_files(clearance, source, folder / "out", batch_size=800, workers=2, engine="processes")
    assert (done.rows, done.batches, done.losses, done.engine) == (ROWS, 8, 0, "processes")
    assert_exactly_once(job, folder / "out")
    # Again: nothing is left to do.
    again = scale.map_files(clearance, source, folder / "out", batch_size=800, workers=2, engine="processes")
    assert again.skipped == 8


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL here")
def test_a_killed_process_loses_no_row(job):
    source, folder = job
    done = scale.map_files(dies_once, source, folder / "out", batch_size=500, workers=2, engine="processes")
    assert (folder / "marker").exists() and done.losses == 1 and done.rows == ROWS
    assert_exactly_once(job, folder / "out")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL here")
def test_a_batch_that_kills_its_workers_ends_the_job(job):
    source, folder = job
    with pytest.raises(scale.JobFailed):
        scale.map_files(always_dies, source, folder / "out", batch_size=3000, workers=1, engine="processes")


def test_refusals_of_a_function_arrive(job):
    source, folder = job
    with pytest.raises(superegg.InvalidInput) as refused:
        scale.map_files(refuses, source, folder / "out", workers=1, engine="processes")
    assert refused.value.field == "radii[0]"
    for call, field in [
        (lambda: scale.map_files(too_short, source, folder / "b", workers=0), "id"),
        (lambda: scale.map_files(clearance, source, folder / "b", batch_size=0), "batch_size"),
        (lambda: scale.map_files(clearance, folder / "reference" / "..", folder / "b", workers=0), "source"),
        (lambda: scale.map_files(clearance, source, folder / "b", engine="dask"), "engine"),
        (lambda: scale.safe_actors(4, 0), "workers"),
    ]:
        with pytest.raises(superegg.InvalidInput) as refused:
            call()
        assert refused.value.field == field
    with pytest.raises(FileNotFoundError):
        scale.map_files(clearance, folder / "nowhere", folder / "b")


def test_a_stopped_job_goes_on(job):
    source, folder = job
    batches = scale.plan(source, folder / "out", 800)
    scale._here(clearance, batches[:3], None, None, None)
    done = scale.map_files(clearance, source, folder / "out", batch_size=800, workers=0)
    assert done.skipped == 3 and done.rows == ROWS
    assert_exactly_once(job, folder / "out")


@pytest.fixture(scope="module")
def cluster():
    """A local Ray cluster of several worker processes: four CPUs, however many the machine has."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: superegg.scale on Ray is not tested")
    pytest.importorskip("ray.data")
    tests = str(Path(__file__).parent)
    # Workers' environment is set before they start: where the job's functions are, and where the marker is.
    os.environ["PYTHONPATH"] = tests + os.pathsep + os.environ.get("PYTHONPATH", "")
    marker = Path(os.environ.get("TMPDIR", "/tmp")) / f"superegg-marker-{os.getpid()}"
    marker.unlink(missing_ok=True)
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"SUPEREGG_TEST_MARKER": str(marker), "PYTHONPATH": os.environ["PYTHONPATH"]}},
    )
    yield marker
    ray.shutdown()
    marker.unlink(missing_ok=True)


def test_a_killed_actor_of_ray_loses_no_row(job, cluster):
    source, folder = job
    done = scale.map_files(dies_once, source, folder / "out", batch_size=500, workers=2, engine="ray")
    assert cluster.exists() and done.engine == "ray" and done.rows == ROWS
    assert_exactly_once(job, folder / "out")


def test_ray_does_not_starve_with_more_actors_than_cpus(job, cluster):
    import ray

    source, folder = job
    done = scale.map_files(clearance, source, folder / "out", batch_size=500, workers=64)
    assert done.engine == "ray" and done.rows == ROWS
    # The same for a dataset of one's own, whose readers need a CPU: with as many actors as CPUs this would hang.
    dataset = ray.data.read_parquet(str(source))
    answered = scale.map_dataset(dataset.select_columns(["id"]), doubled, workers=64, batch_size=1000)
    rows = sorted(row["twice"] for row in answered.iter_rows())
    assert rows == list(range(0, 2 * ROWS, 2))


def doubled(columns):
    return {"twice": columns["id"] * 2}


def test_examples_hold():
    assert doctest.testmod(scale).failed == 0
