"""Jobs too large for one computer: a function over the rows of Parquet files, exactly once, on Ray or on this machine's cores.

A job is cut into batches of rows. A worker reads its batch from the Parquet files, calls the function with the columns as NumPy arrays, and writes the columns that it returns as a
Parquet file of its own, under a temporary name that is renamed once it is whole. The name says which rows are in it. So a batch is either answered or not, however often
workers are lost and batches are tried again, and a job that was stopped goes on where it was.

>>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
>>> import numpy as np
>>> from superegg import scale
>>> folder = tempfile.mkdtemp()
>>> pq.write_table(pa.table({"x": np.arange(10.0)}), folder + "/in.parquet")
>>> done = scale.map_files(scale._square, folder + "/in.parquet", folder + "/out", batch_size=4, workers=0)
>>> done.rows, done.batches, scale.read(folder + "/out")["y"].tolist()[:4]
(10, 3, [0.0, 1.0, 4.0, 9.0])
"""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from ._errors import Error, InvalidInput
from ._native import set_threads

__all__ = ["JobFailed", "Summary", "map_dataset", "map_files", "plan", "read", "safe_actors"]

Columns = Dict[str, NDArray[Any]]
Function = Callable[[Columns], Mapping[str, Any]]
PathLike = Union[str, "os.PathLike[str]"]

#: A batch whose worker was lost this often is given up: it is most likely what ends them.
MOST_LOSSES = 3
#: How many batches wait for each worker, so that none is ever idle.
AHEAD = 2


class JobFailed(Error, RuntimeError):
    """A batch could not be answered. What was answered before is kept: the same call goes on from there."""


@dataclass(frozen=True)
class Batch:
    """Rows of one Parquet file, and where their answers go."""

    source: str
    start: int
    stop: int
    output: str


@dataclass(frozen=True)
class Summary:
    """What a job did."""

    #: Rows that were answered, by this call or by an earlier one.
    rows: int
    #: Batches that the job has.
    batches: int
    #: Batches that an earlier call had answered.
    skipped: int
    #: How often a worker was lost and its batches were tried again; Ray counts its own.
    losses: int
    #: How long it took.
    seconds: float
    #: ``'ray'``, ``'processes'`` or ``'here'``.
    engine: str


def map_files(
    function: Function,
    source: Union[PathLike, Sequence[PathLike]],
    destination: PathLike,
    *,
    batch_size: int = 100_000,
    workers: Optional[int] = None,
    threads: Optional[int] = None,
    engine: str = "auto",
    columns: Optional[Sequence[str]] = None,
) -> Summary:
    """Applies a function to all rows of Parquet files; the answers are Parquet files in a folder, in the order of the rows.

    ``function`` takes a dictionary of NumPy arrays, one a column, and returns one of arrays as long; it has to be importable by the workers, as any function of a module is.
    ``source`` is a file, a folder of files, or a list of files. ``engine`` is ``'ray'`` (over Ray Data), ``'processes'`` (this machine), or ``'auto'``: Ray where it is running, processes
    else. ``workers`` is their number: by default one a core, on Ray as many actors as :func:`safe_actors` allows; 0 does the work here. Each uses ``threads`` threads: by
    default the cores are shared evenly.
    """
    started = time.monotonic()
    batches = plan(source, destination, batch_size)
    todo = [batch for batch in batches if not os.path.exists(batch.output)]
    chosen = _engine(engine, workers)
    run = {"ray": _on_ray, "processes": _on_processes, "here": _here}[chosen]
    losses = run(function, todo, workers, threads, list(columns) if columns is not None else None)
    rows = _check(batches)
    return Summary(rows, len(batches), len(batches) - len(todo), losses, time.monotonic() - started, chosen)


def plan(source: Union[PathLike, Sequence[PathLike]], destination: PathLike, batch_size: int) -> List[Batch]:
    """The batches of a job: which rows of which file, and the file of their answers."""
    import pyarrow.parquet as pq

    if batch_size < 1:
        raise InvalidInput(f"{batch_size} is outside [1, ∞[", "batch_size", float(batch_size))
    os.makedirs(destination, exist_ok=True)
    batches = []
    for number, path in enumerate(_files(source)):
        rows = pq.ParquetFile(path).metadata.num_rows
        for start in range(0, rows, batch_size):
            stop = min(start + batch_size, rows)
            name = f"part-{number:05d}-{start:012d}-{stop:012d}.parquet"
            batches.append(Batch(str(path), start, stop, os.path.join(os.fspath(destination), name)))
    return batches


def read(folder: PathLike) -> Columns:
    """All answers of a job as arrays, in the order of the rows: for jobs that fit into memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [pq.read_table(path) for path in _files(folder)]
    return _columns(pa.concat_tables(tables))


def safe_actors(cpus: int, wanted: Optional[int] = None) -> int:
    """How many actors a Ray cluster of so many CPUs may run.

    One fewer than there are CPUs, at least one: Ray Data gives an actor its CPU for the whole job, and where all are given away the tasks that read its input are never
    scheduled: the job hangs for ever.

    >>> from superegg import scale
    >>> scale.safe_actors(4), scale.safe_actors(4, wanted=2), scale.safe_actors(4, wanted=9)
    (3, 2, 3)
    """
    if wanted is not None and wanted < 1:
        raise InvalidInput(f"{wanted} is outside [1, ∞[", "workers", float(wanted))
    most = max(1, cpus - 1)
    return most if wanted is None else min(wanted, most)


def map_dataset(dataset: Any, function: Function, *, batch_size: int = 100_000, workers: Optional[int] = None) -> Any:
    """Applies a function to a dataset of Ray Data's: ``map_batches`` with as many actors as are safe.

    For pipelines of one's own; the dataset that comes back is lazy, as all of Ray's. A lost actor is started anew and its batches are tried again.
    """
    import ray

    actors = safe_actors(int(ray.cluster_resources().get("CPU", 1)), workers)
    return dataset.map_batches(
        _Caller,
        fn_constructor_args=(function, 1),
        batch_size=batch_size,
        batch_format="numpy",
        **_actor_options(actors, int(ray.cluster_resources().get("CPU", 1))),
    )


def _files(source: Union[PathLike, Sequence[PathLike]]) -> List[Path]:
    paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: List[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += sorted(path.glob("*.parquet"))
        elif path.exists():
            found.append(path)
        else:
            raise FileNotFoundError(f"{path}: there is no such file or folder")
    if not found:
        raise InvalidInput(f"there are no Parquet files in {source}", "source")
    return found


def _engine(engine: str, workers: Optional[int]) -> str:
    if workers == 0:
        return "here"
    if engine in ("ray", "processes"):
        return engine
    if engine != "auto":
        raise InvalidInput(f"{engine!r} is none of 'auto', 'ray', 'processes'", "engine")
    try:
        import ray
    except ImportError:
        return "processes"
    return "ray" if ray.is_initialized() else "processes"


def _columns(table: Any) -> Columns:
    """Columns of a table as arrays; lists of one length become a dimension."""
    import pyarrow as pa

    made: Columns = {}
    for name, column in zip(table.column_names, table.columns):
        array = column.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
        width = array.type.list_size if pa.types.is_fixed_size_list(array.type) else None
        if width is not None:
            made[name] = array.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
        else:
            made[name] = array.to_numpy(zero_copy_only=False)
    return made


def _table(columns: Mapping[str, Any], rows: int) -> Any:
    """Arrays as a table; those with a dimension more become lists of one length."""
    import pyarrow as pa

    made = {}
    for name, column in columns.items():
        array = np.asarray(column)
        if array.ndim == 0 or len(array) != rows:
            raise InvalidInput(f"the function returned {array.shape} for {rows} rows", name)
        flat = pa.array(array.reshape(-1))
        made[name] = flat if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, int(array[0].size) if rows else 1)
    return pa.table(made)


def _answer(function: Function, batch: Batch, columns: Optional[List[str]]) -> int:
    """Answers a batch, once and for all; how many rows it has."""
    import pyarrow.parquet as pq

    if os.path.exists(batch.output):
        return batch.stop - batch.start
    rows = batch.stop - batch.start
    table = _slice(pq.ParquetFile(batch.source), batch.start, batch.stop, columns)
    answers = _table(function(_columns(table)), rows)
    # Two workers that both believe it is theirs write different files; either rename leaves a whole one.
    temporary = f"{batch.output}.{os.getpid()}.{time.monotonic_ns()}.tmp"
    pq.write_table(answers, temporary)
    os.replace(temporary, batch.output)
    return rows


def _slice(file: Any, start: int, stop: int, columns: Optional[List[str]]) -> Any:
    """Rows of a Parquet file; only the groups that hold them are read."""
    groups: List[int] = []
    first = before = 0
    for group in range(file.metadata.num_row_groups):
        count = file.metadata.row_group(group).num_rows
        if first < stop and first + count > start:
            if not groups:
                before = first
            groups.append(group)
        first += count
    return file.read_row_groups(groups, columns=columns).slice(start - before, stop - start)


def _check(batches: Iterable[Batch]) -> int:
    """Counts the rows that were answered; every batch has to be there with all of its rows."""
    import pyarrow.parquet as pq

    rows = 0
    for batch in batches:
        found = pq.ParquetFile(batch.output).metadata.num_rows
        if found != batch.stop - batch.start:
            raise JobFailed(f"{batch.output} has {found} rows instead of {batch.stop - batch.start}")
        rows += found
    return rows


def _here(
    function: Function, todo: List[Batch], workers: Optional[int], threads: Optional[int], columns: Optional[List[str]]
) -> int:
    for batch in todo:
        _answer(function, batch, columns)
    return 0


def _on_processes(
    function: Function, todo: List[Batch], workers: Optional[int], threads: Optional[int], columns: Optional[List[str]]
) -> int:
    """Processes of this machine. A lost one breaks the pool: a new pool goes on with what is not answered."""
    cores = os.cpu_count() or 1
    count = max(1, min(workers if workers is not None else cores, len(todo) or 1))
    share = threads if threads is not None else max(1, cores // count)
    waiting, lost, losses = list(todo), dict.fromkeys(todo, 0), 0
    while waiting:
        # Spawned: nothing of this process is shared, whatever it has running.
        pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=set_threads, initargs=(share,))
        try:
            waiting = _drain(pool, function, waiting, columns, count)
        except _Lost as loss:
            losses += 1
            waiting = [batch for batch in waiting if not os.path.exists(batch.output)]
            for batch in loss.batches:
                lost[batch] += 1
                if lost[batch] >= MOST_LOSSES:
                    raise JobFailed(f"{lost[batch]} workers were lost with rows {batch.start} to {batch.stop} of {batch.source}") from loss
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return losses


class _Lost(Exception):
    def __init__(self, batches: Set[Batch]) -> None:
        super().__init__("a worker was lost")
        self.batches = batches


def _drain(
    pool: ProcessPoolExecutor, function: Function, waiting: List[Batch], columns: Optional[List[str]], count: int
) -> List[Batch]:
    """Has all batches answered, a few at a time; those that were with lost workers are told."""
    rest, running = iter(waiting), dict[Future[int], Batch]()
    try:
        while True:
            while len(running) < AHEAD * count and (batch := next(rest, None)) is not None:
                running[pool.submit(_answer, function, batch, columns)] = batch
            if not running:
                return []
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
                del running[future]
    except BrokenProcessPool as broken:
        raise _Lost({batch for batch in running.values() if not os.path.exists(batch.output)}) from broken


class _Caller:
    """An actor of Ray's that calls the function with columns."""

    def __init__(self, function: Function, threads: int) -> None:
        set_threads(threads)
        self.function = function

    def __call__(self, columns: Columns) -> Columns:
        return {name: np.asarray(column) for name, column in self.function(columns).items()}


class _Runner:
    """An actor of Ray's that answers batches of files. Only names and numbers of rows go through Ray."""

    def __init__(self, function: Function, threads: int, columns: Optional[List[str]]) -> None:
        set_threads(threads)
        self.function, self.columns = function, columns

    def __call__(self, tasks: Columns) -> Columns:
        rows = []
        for source, start, stop, output in zip(tasks["source"], tasks["start"], tasks["stop"], tasks["output"]):
            batch = Batch(str(source), int(start), int(stop), str(output))
            rows.append(_answer(self.function, batch, self.columns))
        return {"rows": np.array(rows)}


def _actor_options(actors: int, cpus: int) -> Dict[str, Any]:
    # On a single CPU an actor takes half of it, so that something is left for the tasks that feed it.
    # Lost actors are started anew and their batches tried again, without end, by Ray Data's own defaults.
    options: Dict[str, Any] = {"num_cpus": 1 if cpus > 1 else 0.5}
    try:
        from ray.data import ActorPoolStrategy

        options["compute"] = ActorPoolStrategy(size=actors)
    except ImportError:
        options["concurrency"] = actors
    return options


def _on_ray(
    function: Function, todo: List[Batch], workers: Optional[int], threads: Optional[int], columns: Optional[List[str]]
) -> int:
    import ray

    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    if not todo:
        return 0
    cpus = int(ray.cluster_resources().get("CPU", 1))
    actors = min(safe_actors(cpus, workers), len(todo))
    tasks = [{"source": b.source, "start": b.start, "stop": b.stop, "output": b.output} for b in todo]
    dataset = ray.data.from_items(tasks, override_num_blocks=len(tasks))
    answered = dataset.map_batches(
        _Runner,
        fn_constructor_args=(function, threads if threads is not None else 1, columns),
        batch_size=1,
        batch_format="numpy",
        **_actor_options(actors, cpus),
    )
    answered.materialize()
    return 0


def _square(columns: Columns) -> Columns:
    """For the example above: workers have to be able to import it."""
    return {"y": columns["x"] ** 2}
