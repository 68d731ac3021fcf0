"""What is refused, and how: bad shapes, dtypes, NaN, wrong lengths. And what is not: read-only, strided, foreign byte orders."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import superegg
from superegg import InvalidInput, Pose, Unsupported

BALL = superegg.superellipsoid([1, 1, 1])


@pytest.mark.parametrize(
    "call, field, index",
    [
        (lambda: superegg.superellipsoid([1, 1]), "radii", None),
        (lambda: superegg.superellipsoid(np.ones((4, 4))), "radii", None),
        (lambda: superegg.superellipsoid(1.0), "radii", None),
        (lambda: superegg.superellipsoid("egg"), "radii", None),
        (lambda: superegg.superellipsoid([1, 1, 1j]), "radii", None),
        (lambda: superegg.superellipsoid([True, True, True]), "radii", None),
        (lambda: superegg.superellipsoid([[1, 1, 1], [1, 1]]), "radii", None),
        (lambda: superegg.superellipsoid([object()] * 3), "radii", None),
        (lambda: superegg.superellipsoid([1, np.nan, 1]), "radii[1]", None),
        (lambda: superegg.superellipsoid([[1, 1, 1], [1, 1, -1]]), "radii[2]", (1,)),
        (lambda: superegg.superellipsoid(np.ones((2, 2, 3)), [[1, 1], [1, np.inf]]), "exponents[1]", (0, 1)),
        (lambda: superegg.superellipsoid(np.ones((3, 3)), np.ones((2, 2))), "exponents", None),
        (lambda: superegg.superovoid([1, 1, 1], taper=[1.5, 0]), "taper[0]", None),
        (lambda: superegg.supertoroid([1, 1, 1], hole=0.5), "hole", None),
        (lambda: superegg.plane([0, 0, 0]), "normal", None),
        (lambda: superegg.capsule([1, 1], [1, -1]), "half_height", (1,)),
        (lambda: superegg.cuboid([1, 1, 1], rounding=[0, np.nan]), "rounding", (1,)),
        (lambda: superegg.sphere(0), "radius", None),
        (lambda: superegg.segment(np.zeros((3, 3))), "points", None),
        (lambda: Pose([0, 0, np.nan]), "position[2]", None),
        (lambda: Pose([0, 0, 0], [0, 0, 0, 0]), "orientation", None),
        (lambda: Pose([0, 0, 0], np.ones((3, 3))), "orientation", None),
        (lambda: Pose.from_matrix(np.ones((4, 4))), "matrix", None),
        (lambda: Pose(np.zeros((3, 3)), np.ones((2, 4))), "orientation", None),
        (lambda: superegg.distance(BALL, BALL, pose_b=[[3, 0, 0], [3, np.inf, 0]]), "pose_b.position[1]", (1,)),
        (lambda: superegg.distance(BALL, BALL, pose_a=np.zeros(5)), "pose_a", None),
        (lambda: superegg.distance(BALL, [1, 1, 1]), "b", None),
        (lambda: superegg.distance(BALL, BALL, np.zeros((3, 3)), np.zeros((2, 3))), "pose_b", None),
        (lambda: superegg.distance(BALL, BALL, pose_b=[3, 0, 0], tolerance=0), "options.tolerance", None),
        (lambda: superegg.distance(BALL, BALL, pose_b=[3, 0, 0], max_iterations=0), "options.max_iterations", None),
        (lambda: superegg.ray(BALL, [0, 0, 5], [[0, 0, 1], [0, 0, 0]]), "direction", (1,)),
        (lambda: superegg.mesh([[0, 0, 0]], [[0, 1, 2]]), "triangles[0]", None),
        (lambda: superegg.mesh(np.zeros((3, 3)), [[0, 1, 1.5]]), "triangles[0]", None),
        (lambda: superegg.mesh(np.zeros((3, 3)), [[0, 1, -1]]), "triangles[0]", None),
        (lambda: superegg.mesh([[0, 0, np.nan], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "vertices[0]", None),
        (lambda: superegg.mesh(BALL), "vertices", None),
        (lambda: superegg.stack([BALL, superegg.superellipsoid(np.ones((2, 3)))]), "shapes[1]", None),
        (lambda: superegg.set_threads(100000), "count", None),
    ],
)
def test_refusals_name_the_field(call, field, index):
    with pytest.raises(InvalidInput) as refused:
        call()
    assert (refused.value.field, refused.value.index) == (field, index)
    assert isinstance(refused.value, ValueError) and refused.value.message
    assert str(refused.value).startswith(field)
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.field, again.index, again.message) == (field, index, refused.value.message)


def test_what_has_no_method_says_so():
    mesh = superegg.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(Unsupported):
        superegg.gradient(mesh, BALL)
    with pytest.raises(Unsupported):
        superegg.growth(superegg.point(), superegg.point(), pose_b=[1, 0, 0])
    with pytest.raises(Unsupported) as refused:
        superegg.distance(superegg.plane([0, 0, 1]), superegg.plane([[0, 0, 1], [0, 0, 1]]))
    assert refused.value.index == (0,)
    with pytest.raises(AttributeError):
        superegg.point().radii


def test_the_first_bad_item_of_many_is_named():
    direction = np.ones((100_000, 3))
    direction[[70_001, 40_003, 99_999]] = 0
    with pytest.raises(InvalidInput) as refused:
        superegg.ray(BALL, [0, 0, 5], direction)
    assert refused.value.index == (40_003,)


def test_arrays_of_any_layout_are_read(rng):
    base = rng.uniform(0.5, 1.5, (40, 3))
    expected = superegg.distance(superegg.superellipsoid(base), BALL, pose_b=[4, 0, 0]).distance
    read_only = base.copy()
    read_only.flags.writeable = False
    wide = np.zeros((40, 7))
    wide[:, 2:5] = base
    backwards = base[::-1].copy()[::-1]
    shifted = np.zeros(40 * 24 + 1, dtype=np.uint8)
    unaligned = shifted[1:].view(np.float64).reshape(40, 3)
    unaligned[:] = base
    forms = [
        read_only,
        wide[:, 2:5],
        np.asfortranarray(base),
        backwards,
        base.astype(">f8"),
        unaligned,
        base.tolist(),
        np.lib.stride_tricks.as_strided(base, writeable=False),
    ]
    for form in forms:
        answer = superegg.distance(superegg.superellipsoid(form), BALL, pose_b=[4, 0, 0]).distance
        np.testing.assert_array_equal(answer, expected)
    single = superegg.superellipsoid(base.astype(np.float32))
    np.testing.assert_array_equal(single.radii, base.astype(np.float32).astype(np.float64))
    assert superegg.superellipsoid(np.array([1, 2, 3])).radii.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(read_only, base)


def test_arguments_are_not_kept():
    radii = np.ones((5, 3))
    shape = superegg.superellipsoid(radii)
    radii[:] = 7
    assert shape.radii.max() == 1


def test_shapes_and_poses_survive_pickle(rng):
    corners = rng.normal(size=(3, 3))
    shapes = superegg.stack([
        BALL,
        superegg.superovoid([1, 2, 3], [0.5, 1.5], [0.1, -0.3]),
        superegg.point([1, 2, 3]),
        superegg.segment(corners[:2]),
        superegg.triangle(corners),
        superegg.plane([1, 2, 3], 4),
        superegg.sphere(0.7),
        superegg.capsule(0.5, 1),
        superegg.cuboid([1, 2, 3], rounding=0.2),
        superegg.frustum([1, 0.5], 1, rounding=0.1),
        superegg.superhyperboloid1([1, 1, 1], height=2),
        superegg.superhyperboloid2([1, 1, 1], height=2),
        superegg.supertoroid([0.5, 0.5, 0.5], hole=3),
        superegg.compound(superegg.stack([BALL, superegg.point()]), [[0, 0, 1], [0, 0, -1]]),
        superegg.mesh(corners, [[0, 1, 2]]),
    ])
    again = pickle.loads(pickle.dumps(shapes))
    assert again.batch_shape == shapes.batch_shape
    assert [again[i].kind for i in range(len(again))] == [shapes[i].kind for i in range(len(shapes))]
    target = superegg.superellipsoid([0.3, 0.4, 0.5])
    before = superegg.distance(shapes, target, pose_b=[0.5, 5, 0.5]).distance
    np.testing.assert_allclose(superegg.distance(again, target, pose_b=[0.5, 5, 0.5]).distance, before, atol=1e-12)
    pose = Pose(rng.normal(size=(4, 3)), rng.normal(size=(4, 4)))
    same = pickle.loads(pickle.dumps(pose))
    np.testing.assert_allclose(same.as_matrix(), pose.as_matrix(), atol=1e-15)


def test_items_are_chosen_as_numpy_does(rng):
    radii = rng.uniform(1, 2, (3, 4, 3))
    shapes = superegg.superellipsoid(radii)
    for key in [0, -1, slice(1, 3), (1, 2), (slice(None), 0), [0, 2], radii[..., 0] > 1.5, Ellipsis, (None, 1)]:
        np.testing.assert_array_equal(shapes[key].radii, radii[key])
    with pytest.raises(IndexError):
        shapes[3]
    with pytest.raises(TypeError):
        len(BALL)
