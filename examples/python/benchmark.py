"""Superegg from Python beside its peers: everything in one run, answers checked while timing.

    pip install coal mujoco torch      # those that are missing are named and left out
    python benchmark.py [--small] [--scale]

Times are medians over repetitions that alternate between the two sides, so that other work on the machine falls on both; those of single calls are processor times. ``--scale`` measures rows a second of a job over
Parquet files with one worker and with two, on processes and, where it is installed, on Ray.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, List, Optional

import numpy as np

import superegg
from superegg import Pose, _native


def optional(name: str) -> Optional[Any]:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def busy(call: Callable[[], Any]) -> float:
    """Processor time of this thread: what single calls cost, whatever else the machine does."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def medians(repetitions: int, *calls: Callable[[], float]) -> List[float]:
    """The median of what each call says it took, taken in turns."""
    times: List[List[float]] = [[] for _ in calls]
    for _ in range(repetitions):
        for own, call in zip(times, calls):
            own.append(call())
    return [statistics.median(own) for own in times]


def row(work: str, ours: str, peer: str, ratio: float, wanted: str, met: bool) -> None:
    print(f"| {work} | {ours} | {peer} | {ratio:.2f}× | {wanted} | {'yes' if met else 'no'} |", flush=True)


def random_pairs(rng: np.random.Generator, count: int, exponents: Optional[np.ndarray] = None) -> dict[str, Any]:
    """Superellipsoids, most of them apart: centres 2.2 to 5 m apart, radii up to 1 m."""
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    made: dict[str, Any] = {
        "radii": rng.uniform(0.3, 1.0, (2, count, 3)),
        "exponents": rng.uniform(0.3, 1.5, (2, count, 2)) if exponents is None else np.broadcast_to(exponents, (2, count, 2)),
        "position": direction * rng.uniform(2.2, 5.0, (count, 1)),
        "orientation": rng.normal(size=(2, count, 4)),
    }
    made["a"] = superegg.superellipsoid(made["radii"][0], made["exponents"][0])
    made["b"] = superegg.superellipsoid(made["radii"][1], made["exponents"][1])
    made["pose_a"] = Pose(orientation=made["orientation"][0])
    made["pose_b"] = Pose(made["position"], made["orientation"][1])
    return made


def transforms(coal: Any, pose: Pose) -> List[Any]:
    matrices = pose.as_matrix()
    return [coal.Transform3s(m[:3, :3], m[:3, 3]) for m in matrices]


def against_meshes(coal: Any, rng: np.random.Generator, small: bool) -> None:
    """A million pairs at once, beside a loop over meshes of 290 vertices."""
    count, looped = (20_000, 100) if small else (1_000_000, 2000)
    pairs = random_pairs(rng, count)

    def hull(shape: superegg.Shape) -> Any:
        points = coal.StdVec_Vec3s()
        points.extend(list(shape.triangles(290)[0]))
        return coal.Convex.convexHull(points, False, "Qt")

    hulls = [[hull(pairs[side][i]) for i in range(looped)] for side in "ab"]
    at = [transforms(coal, pairs[f"pose_{side}"][:looped]) for side in "ab"]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    theirs = np.empty(looped)

    def loop() -> float:
        start = time.perf_counter()
        for i in range(looped):
            result.clear()
            theirs[i] = coal.distance(hulls[0][i], at[0][i], hulls[1][i], at[1][i], request, result)
        return (time.perf_counter() - start) / looped

    def from_arrays() -> float:
        # From plain arrays: shapes and poses are made too.
        start = time.perf_counter()
        a = superegg.superellipsoid(pairs["radii"][0], pairs["exponents"][0])
        b = superegg.superellipsoid(pairs["radii"][1], pairs["exponents"][1])
        answers["ours"] = superegg.distance(
            a, b, Pose(orientation=pairs["orientation"][0]), Pose(pairs["position"], pairs["orientation"][1])
        )
        return (time.perf_counter() - start) / count

    answers: dict[str, Any] = {}
    ours, peer = medians(3, from_arrays, loop)
    spent = [time.process_time()]
    for call in (from_arrays, loop):
        call()
        spent.append(time.process_time())
    processor = [(spent[1] - spent[0]) / count * 1e6, (spent[2] - spent[1]) / looped * 1e6]
    ours_apart = answers["ours"].distance[:looped]
    apart = (ours_apart > 0) & (theirs > 0)
    # Meshes lie inside the bodies: farther apart, by the tessellation's error.
    assert np.all(theirs[apart] > ours_apart[apart] - 1e-6) and np.abs(theirs - ours_apart)[apart].max() < 0.1
    row(f"{count:,} distances from NumPy arrays, a pair", f"{ours * 1e6:.2f} µs ({processor[0]:.2f} µs of processor time)",
        f"coal, 290-vertex meshes in a loop {peer * 1e6:.1f} µs ({processor[1]:.1f} µs)", peer / ours, "≥ 100×", peer / ours >= 100)


def call_overhead(coal: Any, small: bool) -> None:
    """A single call on balls, where there is hardly anything to compute."""
    count = 2000 if small else 20_000
    ball, pose = superegg.superellipsoid([1, 1, 1]), Pose([3, 0.4, 0.2])
    sphere, here, there = coal.Sphere(1.0), coal.Transform3s(np.eye(3), np.zeros(3)), coal.Transform3s(np.eye(3), np.array([3, 0.4, 0.2]))
    request, result = coal.DistanceRequest(), coal.DistanceResult()

    def ours() -> float:
        distance = superegg.distance
        return busy(lambda: [distance(ball, ball, None, pose) for _ in range(count)]) / count

    def theirs() -> float:
        def once() -> None:
            result.clear()
            coal.distance(sphere, here, sphere, there, request, result)

        return busy(lambda: [once() for _ in range(count)]) / count

    ours_seconds, their_seconds = medians(7, ours, theirs)
    assert abs(superegg.distance(ball, ball, None, pose).distance - coal.distance(sphere, here, sphere, there, request, result)) < 1e-6
    row("a single call, two balls", f"{ours_seconds * 1e6:.2f} µs", f"coal {their_seconds * 1e6:.2f} µs",
        ours_seconds / their_seconds, "≤ 1.5× as long", ours_seconds <= 1.5 * their_seconds)


def batch_overhead(rng: np.random.Generator, small: bool) -> None:
    pairs = random_pairs(rng, 10_000 if small else 100_000)
    arguments = (pairs["a"], pairs["b"], pairs["pose_a"], pairs["pose_b"])
    ours, rust = medians(
        5 if small else 15, lambda: timed(lambda: superegg.distance(*arguments)), lambda: _native._time_rust_batch(*arguments)
    )
    row(f"batch of {len(pairs['a']):,} shapes, through Python", f"{ours * 1e3:.1f} ms", f"the Rust batch {rust * 1e3:.1f} ms",
        ours / rust, "≤ 1.1× as long", ours <= 1.1 * rust)


def ellipsoids(coal: Optional[Any], mujoco: Optional[Any], rng: np.random.Generator, small: bool) -> None:
    count = 200 if small else 3000
    pairs = random_pairs(rng, count, np.ones(2))
    singles = [(pairs["a"][i], pairs["b"][i], pairs["pose_a"][i], pairs["pose_b"][i]) for i in range(count)]
    ours = np.empty(count)

    def single() -> float:
        start = time.thread_time()
        for i, (a, b, pose_a, pose_b) in enumerate(singles):
            ours[i] = superegg.distance(a, b, pose_a, pose_b).distance
        return (time.thread_time() - start) / count

    if coal is not None:
        bodies = [[coal.Ellipsoid(*map(float, radii)) for radii in pairs["radii"][side]] for side in (0, 1)]
        at = [transforms(coal, pairs[f"pose_{side}"]) for side in "ab"]
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        theirs = np.empty(count)

        def loop() -> float:
            start = time.thread_time()
            for i in range(count):
                result.clear()
                theirs[i] = coal.distance(bodies[0][i], at[0][i], bodies[1][i], at[1][i], request, result)
            return (time.thread_time() - start) / count

        mine, peer = medians(7, single, loop)
        off = np.abs(theirs - ours)[ours > 0].max()
        row("distances of ellipsoids, single calls", f"{mine * 1e6:.2f} µs", f"coal.Ellipsoid {peer * 1e6:.2f} µs, within {off:.0e} m",
            peer / mine, "faster", peer > mine and off < 1e-4)
    if mujoco is not None:
        _mujoco_ellipsoids(mujoco, pairs, single, ours)


def _mujoco_ellipsoids(mujoco: Any, pairs: dict[str, Any], single: Callable[[], float], ours: np.ndarray) -> None:
    count = len(ours)
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><geom type="ellipsoid" size="1 1 1"/><body><geom type="ellipsoid" size="1 1 1"/></body></worldbody></mujoco>'
    )
    data, ends, theirs = mujoco.MjData(model), np.zeros(6), np.empty(count)
    mujoco.mj_forward(model, data)
    placed = [pairs[f"pose_{side}"].as_matrix() for side in "ab"]

    def through(ask: bool) -> float:
        start = time.thread_time()
        for i in range(count):
            for side in (0, 1):
                model.geom_size[side] = pairs["radii"][side, i]
                data.geom_xpos[side], data.geom_xmat[side] = placed[side][i, :3, 3], placed[side][i, :3, :3].ravel()
            if ask:
                theirs[i] = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, ends)
        return (time.thread_time() - start) / count

    def loop() -> float:
        # Its bodies are placed beforehand by whoever uses it: that does not count.
        return through(True) - through(False)

    mine, peer = medians(7, single, loop)
    apart = (ours > 0) & (theirs > 0)
    off = np.abs(theirs - ours)[apart].max()
    row("distances of ellipsoids, single calls", f"{mine * 1e6:.2f} µs", f"mujoco {peer * 1e6:.2f} µs, within {off:.0e} m",
        peer / mine, "faster", peer > mine and off < 1e-3)


def gradients(torch: Any, rng: np.random.Generator, small: bool) -> None:
    """All 24 derivatives of 100,000 pairs by backward, and by central differences of the same distances."""
    import superegg.torch as st

    count, step = (2000 if small else 100_000), 2e-6
    pairs = random_pairs(rng, count, np.array([0.9, 1.1]))
    apart = superegg.distance(pairs["a"], pairs["b"], pairs["pose_a"], pairs["pose_b"]).distance > 0.1
    orientation = pairs["orientation"] / np.linalg.norm(pairs["orientation"], axis=-1, keepdims=True)
    values = [*pairs["radii"], *pairs["exponents"], np.zeros((count, 3)), pairs["position"], *orientation]
    leaves = [torch.tensor(np.ascontiguousarray(value[apart]), requires_grad=True) for value in values]

    def ask(radii_a: Any, radii_b: Any, exponents_a: Any, exponents_b: Any, at_a: Any, at_b: Any, turn_a: Any, turn_b: Any) -> Any:
        a, b = st.Superquadric(radii_a, exponents_a), st.Superquadric(radii_b, exponents_b)
        return st.distance(a, b, (at_a, turn_a), (at_b, turn_b), tolerance=1e-13)

    def backward() -> float:
        for leaf in leaves:
            leaf.grad = None
        return timed(lambda: ask(*leaves).sum().backward())

    differences = [np.empty(leaf.shape) for leaf in leaves]

    def central() -> float:
        start = time.perf_counter()
        with torch.no_grad():
            for which, leaf in enumerate(leaves):
                for column in range(leaf.shape[1]):
                    shift = torch.zeros(leaf.shape[1], dtype=leaf.dtype)
                    shift[column] = step
                    ends = [ask(*leaves[:which], leaf + s, *leaves[which + 1 :]) for s in (shift, -shift)]
                    differences[which][:, column] = ((ends[0] - ends[1]) / (2 * step)).numpy()
        return time.perf_counter() - start

    mine, peer = medians(3, backward, central)
    off = max(np.abs(leaf.grad.numpy() - found).max() for leaf, found in zip(leaves, differences))
    numbers = sum(leaf.shape[1] for leaf in leaves)
    row(f"gradients of {int(apart.sum()):,} pairs into torch, {numbers} numbers a pair", f"{mine * 1e3:.0f} ms",
        f"central differences {peer * 1e3:.0f} ms, within {off:.0e}", peer / mine, "≥ 20×, equal to 1e-6", peer / mine >= 20 and off < 1e-6)


def clearance(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The job of ``--scale``: distances of two superellipsoids, a row a pair."""
    a = superegg.superellipsoid(columns["radii_a"], columns["exponents_a"])
    b = superegg.superellipsoid(columns["radii_b"], columns["exponents_b"])
    found = superegg.distance(a, b, pose_b=columns["pose_b"])
    return {"distance": found.distance, "lower": found.lower, "upper": found.upper}


def worker_seconds() -> float:
    """Processor time of all processes that this one started and that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def rows_a_second(rng: np.random.Generator, small: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from superegg import scale

    # Workers import the function by the name of its module.
    from benchmark import clearance as job

    count = 40_000 if small else 2_000_000
    pairs = random_pairs(rng, count)

    def column(values: np.ndarray) -> Any:
        return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(values).ravel()), values.shape[1])

    pose = np.concatenate([pairs["position"], pairs["orientation"][1]], axis=1)
    table = pa.table({
        "radii_a": column(pairs["radii"][0]), "radii_b": column(pairs["radii"][1]),
        "exponents_a": column(pairs["exponents"][0]), "exponents_b": column(pairs["exponents"][1]), "pose_b": column(pose),
    })
    engines = ["processes"]
    ray = optional("ray")
    if ray is not None:
        paths = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
        logging.getLogger("ray").setLevel(logging.ERROR)
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": paths})
        engines.append("ray")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pairs.parquet"
        pq.write_table(table, source, row_group_size=100_000)
        print("| engine | workers, a thread each | rows a second | rows a second of processor time |\n|---|---|---|---|")
        reference = None
        few = Path(folder) / "few.parquet"
        pq.write_table(table.slice(0, 1000), few)
        for engine in engines:
            # Ray starts its first workers slowly; they are there for the jobs that are timed.
            scale.map_files(job, few, Path(folder) / f"{engine}-first", batch_size=500, workers=2, threads=1, engine=engine)
            for workers in (1, 2):
                out = Path(folder) / f"{engine}-{workers}"
                before = worker_seconds()
                done = scale.map_files(job, source, out, batch_size=50_000, workers=workers, threads=1, engine=engine)
                found = scale.read(out)["distance"]
                reference = found if reference is None else reference
                assert done.rows == count and np.array_equal(found, reference)
                spent = worker_seconds() - before
                # Ray's workers are no children of this process.
                each = f"{count / spent:,.0f}" if engine == "processes" else "not known"
                print(f"| {engine} | {workers} | {count / done.seconds:,.0f} | {each} |", flush=True)
    if ray is not None:
        ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="few pairs: shows that it runs, not how fast")
    parser.add_argument("--scale", action="store_true", help="rows a second of a job over Parquet files instead")
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    if arguments.scale:
        rows_a_second(rng, arguments.small)
        return
    coal, mujoco, torch = optional("coal"), optional("mujoco"), optional("torch")
    print(f"{superegg.threads()} threads\n| work | ours | peer | ratio | wanted | met |\n|---|---|---|---|---|---|")
    if coal is not None:
        against_meshes(coal, rng, arguments.small)
        call_overhead(coal, arguments.small)
    batch_overhead(rng, arguments.small)
    ellipsoids(coal, mujoco, rng, arguments.small)
    if torch is not None:
        gradients(torch, rng, arguments.small)


if __name__ == "__main__":
    main()
