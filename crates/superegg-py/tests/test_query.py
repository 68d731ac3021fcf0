"""Queries against closed forms, dense sampling, finite differences and each other."""

from __future__ import annotations

import numpy as np
import pytest

import superegg
from superegg import Pose, Status

BALL = superegg.superellipsoid([1, 1, 1])


def random_pairs(rng, count):
    """Superovoids near each other, apart and overlapping."""
    radii = rng.uniform(0.3, 1.2, (2, count, 3))
    exponents = rng.uniform(0.4, 1.2, (2, count, 2))
    taper = np.repeat(rng.uniform(-0.2, 0.2, (2, count, 1)), 2, axis=-1)
    shapes = [superegg.superovoid(radii[i], exponents[i], taper[i]) for i in (0, 1)]
    poses = [Pose(rng.normal(size=(count, 3)) * 1.5, rng.normal(size=(count, 4))) for _ in (0, 1)]
    return shapes, poses


def test_balls_have_the_distance_of_their_centres(rng):
    # The closed form is exact to rounding.
    radii, centres = rng.uniform(0.1, 2, (2, 500)), rng.normal(size=(2, 500, 3)) * 3
    balls = [superegg.superellipsoid(np.repeat(r[:, None], 3, axis=1)) for r in radii]
    answer = superegg.distance(balls[0], balls[1], centres[0], centres[1])
    truth = np.linalg.norm(centres[1] - centres[0], axis=1) - radii.sum(axis=0)
    np.testing.assert_allclose(answer.distance, truth, atol=1e-8)
    assert np.all(answer.lower <= truth + 1e-12) and np.all(truth <= answer.upper + 1e-12)
    normals = (centres[1] - centres[0]) / np.linalg.norm(centres[1] - centres[0], axis=1, keepdims=True)
    np.testing.assert_allclose(answer.normal, normals, atol=1e-6)


def test_points_of_the_surfaces_are_never_closer_than_the_distance(rng):
    # Dense samples of both surfaces can only be farther apart than the closest points, by about their spacing.
    (a, b), (pose_a, pose_b) = random_pairs(rng, 20)
    answer = superegg.distance(a, b, pose_a, pose_b)
    for i in range(20):
        if answer.status[i] != Status.SEPARATED:
            continue
        p = pose_a[i].transform(a[i].triangles(2000)[0])
        q = pose_b[i].transform(b[i].triangles(2000)[0])
        sampled = np.sqrt(((p[:, None] - q[None]) ** 2).sum(axis=-1).min())
        assert answer.lower[i] <= sampled <= answer.distance[i] + 0.15
        # The closest points are that far apart.
        gap = np.linalg.norm(answer.point_b[i] - answer.point_a[i])
        assert abs(gap - answer.distance[i]) < 1e-7


def test_a_batch_has_the_bits_of_its_items(rng):
    (a, b), (pose_a, pose_b) = random_pairs(rng, 300)
    many = superegg.distance(a, b, pose_a, pose_b)
    one = [superegg.distance(a[i], b[i], pose_a[i], pose_b[i]) for i in range(300)]
    # The batch goes through vector lanes: equal to the tolerance, and to the bits between numbers of threads.
    size = np.array([float(a[i].reach + b[i].reach) for i in range(300)])
    assert np.all(np.abs(many.distance - [o.distance for o in one]) < 2e-9 * size)
    superegg.set_threads(1)
    try:
        alone = superegg.distance(a, b, pose_a, pose_b)
    finally:
        superegg.set_threads(0)
    np.testing.assert_array_equal(alone.distance, many.distance)
    np.testing.assert_array_equal(alone.point_a, many.point_a)


@pytest.mark.parametrize(
    "shapes, poses, expected",
    [((), (), ()), ((5,), (), (5,)), ((4, 1), (3,), (4, 3)), ((2, 1, 3), (4, 1), (2, 4, 3)), ((0,), (), (0,))],
)
def test_leading_dimensions_are_broadcast(shapes, poses, expected, rng):
    a = superegg.superellipsoid(rng.uniform(0.5, 1, shapes + (3,)))
    positions = rng.normal(size=poses + (3,)) + [4, 0, 0]
    answer = superegg.distance(a, BALL, pose_b=positions)
    assert answer.batch_shape == expected and np.shape(answer.distance) == expected
    assert answer.normal.shape == expected + (3,)
    gradient = superegg.gradient(a, BALL, pose_b=positions)
    assert gradient.radii_a.shape == expected + (3,) and gradient.points_a.shape == expected + (3, 3)
    for index in np.ndindex(expected):
        one = superegg.distance(
            superegg.superellipsoid(np.broadcast_to(a.radii, expected + (3,))[index]),
            BALL,
            pose_b=np.broadcast_to(positions, expected + (3,))[index],
        )
        assert abs(answer.distance[index] - one.distance) < 1e-8 if expected else True


def test_intersect_agrees_with_distance(rng):
    (a, b), (pose_a, pose_b) = random_pairs(rng, 500)
    answer = superegg.distance(a, b, pose_a, pose_b)
    met = superegg.intersect(a, b, pose_a, pose_b)
    clear = np.abs(answer.distance) > 1e-7
    np.testing.assert_array_equal(met[clear], answer.distance[clear] < 0)
    assert 0 < met.sum() < 500


def test_gradients_are_differences(rng):
    # Central differences of step 1e-5 of distances exact to some 1e-13: wrong by about 1e-8.
    (a, b), (pose_a, pose_b) = random_pairs(rng, 60)
    found = superegg.gradient(a, b, pose_a, pose_b, tolerance=1e-12)
    smooth = (found.unique_points & found.unique_normal) & (found.distance > 0.05)
    assert smooth.sum() > 10
    h = 1e-5

    def ask(radii=None, exponents=None, taper=None, shift=np.zeros(3), turn=np.zeros(3)):
        shape = superegg.superovoid(
            a.radii + (0 if radii is None else radii),
            a.exponents + (0 if exponents is None else exponents),
            a.taper + (0 if taper is None else taper),
        )
        quaternion = np.append(turn / 2, 1.0)
        pose = Pose(pose_a.position + shift, multiply(quaternion, pose_a.orientation))
        return superegg.distance(shape, b, pose, pose_b, tolerance=1e-13).distance

    for name, field, size in [
        ("radii", "radii_a", 3),
        ("exponents", "exponents_a", 2),
        ("taper", "taper_a", 2),
        ("shift", "position_a", 3),
        ("turn", "rotation_a", 3),
    ]:
        for axis in range(size):
            step = np.zeros(size)
            step[axis] = h
            by_difference = (ask(**{name: step}) - ask(**{name: -step})) / (2 * h)
            np.testing.assert_allclose(getattr(found, field)[smooth, axis], by_difference[smooth], atol=2e-6)


def multiply(p, q):
    """Quaternions x, y, z, w."""
    pv, pw, qv, qw = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    return np.concatenate([pw * qv + qw * pv + np.cross(pv, qv), pw * qw - (pv * qv).sum(-1, keepdims=True)], axis=-1)


def test_second_derivatives_are_differences_of_the_first(rng):
    egg, other = superegg.superellipsoid([1, 1.2, 0.8], [0.9, 1.1]), superegg.superovoid([0.6, 0.7, 0.9], taper=[0.1, 0.1])
    pose = Pose([2.5, 0.4, 0.3], [0.1, 0.2, 0.3, 0.9])
    found = superegg.second_derivatives(egg, other, pose_b=pose, tolerance=1e-12)
    assert found.smooth and found.curved
    h = 1e-5
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = h
        ahead = superegg.gradient(egg, other, pose_b=Pose(pose.position + step, pose.orientation), tolerance=1e-12)
        behind = superegg.gradient(egg, other, pose_b=Pose(pose.position - step, pose.orientation), tolerance=1e-12)
        by_difference = (ahead.position_b - behind.position_b) / (2 * h)
        np.testing.assert_allclose(found.second[6 + axis, 6:9], by_difference, atol=1e-6)


def test_bodies_scaled_by_their_growth_touch(rng):
    radii, centres = rng.uniform(0.3, 1.2, (2, 100, 3)), rng.normal(size=(2, 100, 3)) * 2
    shapes = [superegg.superellipsoid(r, [0.8, 1.1]) for r in radii]
    found = superegg.growth(shapes[0], shapes[1], centres[0], centres[1])
    scaled = [superegg.superellipsoid(r * found.growth[:, None], [0.8, 1.1]) for r in radii]
    touching = superegg.distance(scaled[0], scaled[1], centres[0], centres[1])
    assert np.all(np.abs(touching.distance) < 1e-7)


def test_rays_meet_surfaces_where_the_distance_is_zero(rng):
    egg = superegg.superovoid([0.7, 0.8, 1], [0.7, 1.1], [0.2, 0.2])
    origin = rng.normal(size=(400, 3)) * 3
    direction = -origin + rng.normal(size=(400, 3)) * 0.4
    found = superegg.ray(egg, origin, direction)
    assert 100 < found.hit.sum() < 400
    hit = found.hit
    np.testing.assert_allclose(found.point[hit], origin[hit] + found.t[hit, None] * direction[hit], atol=1e-9)
    on_surface = superegg.closest_point(egg, found.point[hit])
    assert np.all(np.abs(on_surface.distance) < 1e-8)
    assert np.all(np.isinf(found.t[~hit])) and np.all(np.isnan(found.point[~hit]))


def test_closest_points_are_those_of_distance(rng):
    egg = superegg.superellipsoid([0.7, 0.8, 1], [0.4, 1.2])
    points = rng.normal(size=(7, 40, 3))
    found = superegg.closest_point(egg, points)
    assert found.batch_shape == (7, 40)
    other = superegg.distance(egg, superegg.point(points))
    np.testing.assert_allclose(found.distance, other.distance, atol=4e-9)


def test_every_kind_of_body_answers(rng):
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    kinds = [
        BALL,
        superegg.superovoid([1, 1, 1], [1, 1], [0.1, 0.1]),
        superegg.point(),
        superegg.segment(corners[:2]),
        superegg.triangle(corners),
        superegg.sphere(0.7),
        superegg.capsule(0.5, 1),
        superegg.cuboid([1, 1, 1], rounding=0.2),
        superegg.frustum([1, 0.5], 1),
        superegg.hull([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], rounding=0.1),
        superegg.superhyperboloid1([1, 1, 1], height=2),
        superegg.superhyperboloid2([1, 1, 1], height=2),
        superegg.supertoroid([0.5, 0.5, 0.5], hole=3),
        superegg.compound(superegg.stack([BALL, superegg.point()]), [[0, 0, 1], [0, 0, -1]]),
        superegg.mesh(corners, [[0, 1, 2]]),
        superegg.plane([0, 0, -1]),
    ]
    for kind in kinds:
        answer = superegg.distance(kind, BALL, pose_b=[0, 0, 8])
        if kind.kind == "plane":
            assert answer.distance == pytest.approx(-9)
        else:
            assert answer.status == Status.SEPARATED and 0 < answer.distance < 8
    mixed = superegg.stack(kinds)
    assert mixed.kind == "mixed" and len(mixed) == len(kinds)
    together = superegg.distance(mixed, BALL, pose_b=[0, 0, 8])
    alone = [superegg.distance(kind, BALL, pose_b=[0, 0, 8]).distance for kind in kinds]
    np.testing.assert_allclose(together.distance, alone, atol=1e-8)


def test_poses_of_every_form_are_the_same(rng):
    rotation_module = pytest.importorskip("scipy.spatial.transform")
    turn = rotation_module.Rotation.from_rotvec([[0.1, 0.2, 0.3], [-1, 0.5, 2]])
    position = rng.normal(size=(2, 3))
    poses = [
        Pose(position, turn),
        Pose(position, turn.as_quat()),
        Pose(position, turn.as_matrix()),
        Pose.from_matrix(Pose(position, turn).as_matrix()),
    ]
    egg = superegg.superellipsoid([1, 2, 3])
    answers = [superegg.distance(egg, BALL, pose).distance for pose in poses]
    answers.append(superegg.distance(egg, BALL, np.concatenate([position, turn.as_quat()], axis=1)).distance)
    answers.append(superegg.distance(egg, BALL, Pose(position, turn).as_matrix()).distance)
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], atol=1e-7)
    np.testing.assert_allclose(Pose(orientation=turn).transform([1, 0, 0]), turn.apply([1, 0, 0]), atol=1e-12)
    np.testing.assert_allclose(superegg.distance(egg, BALL, turn, [4, 0, 0]).distance,
                               superegg.distance(egg, BALL, Pose(orientation=turn), [4, 0, 0]).distance)


def test_primitives_have_their_distances():
    # Closed forms: a corner of a rounded box, the side of a capsule, the rim of a cylinder.
    at = np.array([3.0, 3.0, 3.0])
    die = superegg.cuboid([1, 1, 1], rounding=[0.0, 0.5])
    np.testing.assert_allclose(superegg.distance(die, superegg.point(at)).distance, np.sqrt(12) - np.array([0, 0.5]), atol=1e-8)
    assert superegg.distance(superegg.capsule(0.5, 2), superegg.point([3, 0, 1])).distance == pytest.approx(2.5)
    can = superegg.frustum([1, 1], 1)
    assert superegg.distance(can, superegg.point([4, 0, 5])).distance == pytest.approx(5)
    assert can.kind == "cylinder" and superegg.sphere([1, 2]).batch_shape == (2,)
    found = superegg.gradient(die, superegg.point(), pose_b=[4, 0.1, 0.2])
    np.testing.assert_allclose(found.primitive_a[:, 0], -1, atol=1e-6)
    np.testing.assert_allclose(found.rounding_a, -1, atol=1e-6)
    assert np.isnan(found.radii_a).all() and np.isnan(found.rounding_b).all()
    vertices, triangles = superegg.cuboid([1, 2, 3]).triangles(200)
    np.testing.assert_allclose(vertices.max(axis=0), [1, 2, 3])
