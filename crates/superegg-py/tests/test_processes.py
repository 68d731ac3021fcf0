"""Batches among threads, signals and forks: no deadlock, no crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import superegg

BALL = superegg.superellipsoid([1, 1, 1])


def run(program: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.mark.skipif(not hasattr(os, "kill"), reason="no signals here")
def test_ctrl_c_ends_a_batch():
    # Without it the batch would take minutes. Timed loosely: what is tested is that it ends, and how.
    program = run(
        """
        import os, signal, threading, time
        import numpy as np, superegg
        # A shell that runs the tests in the background has them ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        rng = np.random.default_rng(0)
        a = superegg.superellipsoid(rng.uniform(0.5, 1, (3000, 1, 3)), [0.3, 1.7])
        b = superegg.superellipsoid(rng.uniform(0.5, 1, (3000, 3)), [1.7, 0.3])
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            superegg.distance(a, b, pose_b=[0.3, 0.2, 0.1])
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 30)
        # And everything works on.
        print(superegg.intersect(a[:, 0], b, pose_b=[9, 0, 0]).sum())
        """
    )
    assert program.stdout.split() == ["interrupted", "True", "0"], program.stderr


def test_other_threads_run_during_a_batch(rng):
    done = []
    shapes = superegg.superellipsoid(rng.uniform(0.5, 1, (30_000, 3)), [0.5, 0.5])
    worker = threading.Thread(target=lambda: done.append(superegg.distance(shapes, BALL, pose_b=[2, 1, 1]).distance.sum()))
    worker.start()
    ticks = 0
    while worker.is_alive():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 1 and done[0] == superegg.distance(shapes, BALL, pose_b=[2, 1, 1]).distance.sum()


def test_many_threads_ask_at_once(rng):
    shapes = superegg.superellipsoid(rng.uniform(0.5, 1, (3000, 3)), [0.5, 0.5])
    expected = superegg.distance(shapes, BALL, pose_b=[3, 0, 0]).distance
    answers: list[np.ndarray] = []
    workers = [
        threading.Thread(target=lambda: answers.append(superegg.distance(shapes, BALL, pose_b=[3, 0, 0]).distance))
        for _ in range(8)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(answers) == 8
    for answer in answers:
        np.testing.assert_array_equal(answer, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_threads_of_its_own():
    # The parent's threads do not exist in the child: with a shared pool the child would wait for ever.
    program = run(
        """
        import os, signal
        import numpy as np, superegg
        ball = superegg.superellipsoid([1, 1, 1])
        at = np.linspace(2, 9, 20000)[:, None] * [1, 0, 0]
        before = superegg.distance(ball, ball, pose_b=at).distance.sum()
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                same = superegg.distance(ball, ball, pose_b=at).distance.sum() == before
                os._exit(0 if same else 3)
            children.append(child)
        print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
        print(superegg.distance(ball, ball, pose_b=at).distance.sum() == before)
        """
    )
    assert program.stdout.splitlines() == ["[0, 0, 0]", "True"], program.stderr


def test_the_number_of_threads_can_be_chosen():
    superegg.set_threads(3)
    try:
        assert superegg.threads() == 3
    finally:
        superegg.set_threads(0)
    assert superegg.threads() >= 1
