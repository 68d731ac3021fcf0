"""Worlds, times of impact, collisions of meshes, fits and simulation, against something independent each."""

from __future__ import annotations

import numpy as np
import pytest

import superegg
from superegg import ImpactStatus, InvalidInput

BALL = superegg.superellipsoid([1, 1, 1])


def test_balls_meet_when_their_centres_are_two_radii_apart(rng):
    # |p + v t| = 2 solved by hand; the answer is never late, and early by a millionth of the size over the closing speed at most.
    position = rng.normal(size=(200, 3)) * 4
    position[np.linalg.norm(position, axis=1) < 2.2] += [5, 0, 0]
    velocity = -position + rng.normal(size=(200, 3))
    found = superegg.time_of_impact(BALL, BALL, 10.0, pose_b=position, velocity_b=velocity)
    a, b = (velocity**2).sum(1), (position * velocity).sum(1)
    c = (position**2).sum(1) - 4
    with np.errstate(invalid="ignore"):
        root = np.sqrt(b * b - a * c)
        truth = (-b - root) / a
    meets = ~np.isnan(truth) & (truth > 0) & (truth < 10)
    clear = np.abs(b * b - a * c) > 1e-3
    np.testing.assert_array_equal((found.status == ImpactStatus.IMPACT)[clear], meets[clear])
    both = meets & clear
    assert np.all(found.time[both] <= truth[both] + 1e-12)
    assert np.all(found.time[both] > truth[both] - 4e-6 / (root / np.sqrt(a))[both] - 1e-9)
    assert np.all(np.isinf(found.time[found.status == ImpactStatus.NONE]))
    with pytest.raises(InvalidInput) as refused:
        superegg.time_of_impact(BALL, BALL, [1.0, -1.0], pose_b=[5, 0, 0])
    assert (refused.value.field, refused.value.index) == ("horizon", (1,))


def test_contacts_of_a_world_are_all_pairs_within_its_margin(rng):
    shapes = superegg.superellipsoid(rng.uniform(0.2, 0.5, (60, 3)), rng.uniform(0.5, 1.2, (60, 2)))
    world = superegg.World(margin=0.05)
    numbers = world.add(shapes, rng.normal(size=(60, 3)) * 1.3)
    for _ in range(3):
        position = rng.normal(size=(60, 3)) * 1.3
        world.set_pose(numbers, position)
        world.update()
        found = {tuple(sorted(pair)) for pair in zip(world.contacts().a, world.contacts().b)}
        i, j = np.triu_indices(60, 1)
        apart = superegg.distance(shapes[i], shapes[j], position[i], position[j])
        clear = np.abs(apart.distance - 0.05) > 1e-5
        expected = {(a, b) for a, b, d in zip(i[clear], j[clear], apart.distance[clear]) if d < 0.05}
        unclear = set(zip(i[~clear], j[~clear]))
        assert found - unclear == expected - unclear
    assert len(world) == 60 and found
    world.remove(int(numbers[0]))
    world.update()
    assert 0 not in world.contacts().a and 0 not in world.contacts().b
    with pytest.raises(InvalidInput):
        world.pose(0)
    near = world.nearest([0, 0, 0], 5)
    field = superegg.distance(shapes, superegg.point(), position).distance
    np.testing.assert_allclose([d for _, d in near], np.sort(field[1:])[:5], atol=1e-5)
    hit = world.ray([0, 0, 50], [0, 0, -1])
    alone = superegg.ray(shapes, [0, 0, 50], [0, 0, -1], position).t[1:]
    assert (hit is None and np.isinf(alone.min())) or hit[1] == pytest.approx(alone.min(), abs=1e-6)


def grid(n):
    """Vertices of the unit square and its triangles."""
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1)
    at = np.arange(n * n).reshape(n, n)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def test_a_sheet_that_falls_through_another_collides_half_way():
    vertices, triangles = grid(6)
    both = np.concatenate([triangles, triangles + len(vertices)])
    frame = lambda z: np.concatenate([vertices, vertices * 0.6 + [0.2, 0.2, z]])  # noqa: E731
    detector = superegg.CollisionDetector(frame(1), both)
    found = detector.detect(frame(1), frame(-1))
    assert found.time_of_impact == pytest.approx(0.5, abs=1e-9)
    # Every vertex of the smaller sheet goes through the other at half time.
    assert set(found.vertex_face[:, 0]) >= set(range(len(vertices), 2 * len(vertices)))
    assert np.all(found.vertex_face_time <= 0.5 + 1e-12) and found.edge_edge.shape[1] == 4
    assert detector.detect(frame(1), frame(0.5)).time_of_impact is None
    near = superegg.CollisionDetector(frame(1), both, min_separation=0.1).detect(frame(1), frame(0.05))
    assert near.time_of_impact is not None
    first = superegg.CollisionDetector(frame(1), both, first_only=True).detect(frame(1), frame(-1))
    assert first.time_of_impact == pytest.approx(0.5, abs=1e-9) and len(first.vertex_face) + len(first.edge_edge) == 1
    # A curve whose control points stay on one side does not meet.
    assert detector.detect(frame(1), frame(0.2), frame(1)).time_of_impact is None
    with pytest.raises(InvalidInput) as refused:
        detector.detect(frame(1), frame(1)[:-1])
    assert refused.value.field == "vertices"
    with pytest.raises(InvalidInput):
        detector.detect(frame(1))


def test_meshes_of_trimesh_are_taken():
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box(extents=[2, 2, 2])
    assert superegg.distance(box, superegg.point([3, 0, 0])).distance == pytest.approx(2)
    assert superegg.distance(superegg.mesh(box), BALL, pose_b=[4, 0, 0]).distance == pytest.approx(2)
    detector = superegg.CollisionDetector(box)
    assert detector.detect(box.vertices, np.asarray(box.vertices) + [1, 0, 0]).time_of_impact is None
    found = superegg.fit(trimesh.creation.icosphere(subdivisions=3, radius=0.5), kind="superellipsoid")
    np.testing.assert_allclose(found.shape.radii, 0.5, rtol=0.02)
    simulation = superegg.Simulation()
    simulation.add_body(superegg.mesh(box))
    assert simulation.body_count == 1


def test_a_fit_finds_what_made_the_points(rng):
    egg = superegg.superovoid([1.0, 0.8, 1.3], [0.6, 0.9], [0.2, 0.2])
    pose = superegg.Pose([1, 2, 3], [0.3, 0.1, -0.5, 0.8])
    points = pose.transform(egg.triangles(800)[0])
    found = superegg.fit(points)
    # All points are on the surface, by the distance queries and not by the fit's own errors.
    assert np.abs(superegg.closest_point(found.shape, points, found.pose).distance).max() < 1e-5
    assert found.proved is None and found.max < 1e-5
    enclosing = superegg.fit(points, containment="enclose")
    assert enclosing.proved == len(points)
    assert superegg.closest_point(enclosing.shape, points, enclosing.pose).distance.max() < 1e-9
    two = np.concatenate([BALL.triangles(400)[0], BALL.triangles(400)[0] + [4, 0, 0]])
    parts = superegg.fit(two, parts="auto")
    assert parts.shape.batch_shape == (2,) and parts.pose.batch_shape == (2,)
    for call, field in [
        (lambda: superegg.fit(points[:3]), "points"),
        (lambda: superegg.fit(points * [1, 1, 0]), "points"),
        (lambda: superegg.fit(points, kind="egg"), "kind"),
        (lambda: superegg.fit(points, containment="around"), "containment"),
        (lambda: superegg.fit(points, parts=0), "parts"),
        (lambda: superegg.fit(points, weights=-np.ones(len(points))), "weights"),
        (lambda: superegg.fit(np.full((50, 3), np.nan)), "points[0]"),
    ]:
        with pytest.raises(InvalidInput) as refused:
            call()
        assert refused.value.field == field


def test_a_free_body_falls_by_the_book():
    world = superegg.Simulation()
    egg = world.add_body(BALL, [0, 0, 100], density=1000, velocity=[1, 0, 0])
    world.step(0.005, count=200)
    # One second: g/2 below, up to the first order of the step.
    position = world.poses([egg]).position[0]
    np.testing.assert_allclose(position, [1, 0, 100 - 9.81 / 2], atol=0.03)
    assert world.time == pytest.approx(1)
    velocity, turning = world.velocities()
    np.testing.assert_allclose(velocity[0], [1, 0, -9.81], atol=1e-6)
    assert not turning.any()


def test_eggs_come_to_rest_on_a_floor_and_cloth_on_a_ball(rng):
    world = superegg.Simulation()
    world.add_body(superegg.plane([0, 0, 1]))
    shapes = superegg.superellipsoid(np.full((5, 3), 0.1), [1, 1])
    eggs = world.add_body(shapes, [[0.5 * i, 0, 0.3] for i in range(5)], density=500)
    assert eggs.tolist() == [1, 2, 3, 4, 5]
    world.step(0.005, count=400)
    heights = world.poses(eggs.tolist()).position[:, 2]
    assert np.all(np.abs(heights - 0.1) < 0.01)
    world.push(1, [0, 0, 0.1], [0, 0, 10.0])
    world.step(0.005)
    assert world.poses([1]).position[0, 2] > heights[0]

    world = superegg.Simulation()
    world.add_body(superegg.superellipsoid([0.5, 0.5, 0.5]))
    vertices, triangles = grid(15)
    cloth = world.add_cloth((vertices - [0.5, 0.5, 0]) * 2 + [0, 0, 0.6], triangles)
    world.step(0.005, count=150)
    at = world.cloth_vertices(cloth)
    assert world.cloth_triangles(cloth).shape == triangles.shape
    # Nothing of it is inside the ball, and its middle rests on top.
    assert superegg.closest_point(superegg.superellipsoid([0.5, 0.5, 0.5]), at).distance.min() > 0
    assert 0.5 < at[112, 2] < 0.52


def test_scenes_run_and_bad_ones_are_refused(tmp_path):
    bowl = superegg.Simulation.from_scene("bowl", 3)
    before = bowl.poses().position.copy()
    bowl.step(count=20)
    assert bowl.time > 0 and np.abs(bowl.poses().position - before).max() > 1e-3
    with pytest.raises(OSError):
        superegg.Simulation.from_scene(str(tmp_path / "none.toml"))
    bad = tmp_path / "bad.toml"
    bad.write_text("nonsense = [")
    with pytest.raises(InvalidInput):
        superegg.Simulation.from_scene(str(bad))
    world = superegg.Simulation()
    for call, field in [
        (lambda: world.add_body(superegg.point(), density=1), "shape"),
        (lambda: world.add_body(BALL, density=-1.0), "density"),
        (lambda: world.poses([3]), "body"),
        (lambda: world.cloth_vertices(2), "cloth"),
        (lambda: world.step(-1.0), "dt"),
    ]:
        with pytest.raises(InvalidInput) as refused:
            call()
        assert refused.value.field == field
