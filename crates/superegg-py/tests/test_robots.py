"""Robots and grasps: kinematics against a chain made by hand, distances against queries, gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

import superegg
from superegg import InvalidInput

ARM = """<robot name="arm">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.5"/><geometry><ellipsoid radii="0.05 0.05 0.45"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0 0 0.5"/><geometry><ellipsoid radii="0.05 0.05 0.45"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1000" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-3.2" upper="3.2" effort="1000" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return superegg.load_robot(path)


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]])


def test_links_are_where_the_chain_puts_them(arm, rng):
    assert arm.joint_names == ["shoulder", "elbow"] and arm.link_names == ["base", "upper", "lower"]
    assert arm.lower.tolist() == [-2, -3.2] and arm.upper.tolist() == [2, 3.2]
    q = rng.uniform(-1.5, 1.5, (4, 5, 2))
    poses = arm.link_poses(q)
    assert poses.batch_shape == (4, 5, 3)
    up = np.eye(4)
    up[2, 3] = 1
    for index in np.ndindex(4, 5):
        upper = turn(q[index][0])
        np.testing.assert_allclose(poses[index].as_matrix()[1], upper, atol=1e-12)
        np.testing.assert_allclose(poses[index].as_matrix()[2], upper @ up @ turn(q[index][1]), atol=1e-12)


def test_distances_are_those_of_the_placed_shapes(arm, rng):
    # Only base and lower are not adjacent.
    assert arm.pairs == [("base", "lower")]
    q = rng.uniform(-1.5, 1.5, (50, 2))
    found = arm.distances(q)
    assert found.distance.shape == (50, 1) and found.gradient.shape == (50, 1, 2)
    poses = arm.link_poses(q)
    ellipsoid, ball = superegg.superellipsoid([0.05, 0.05, 0.45]), superegg.superellipsoid([0.1, 0.1, 0.1])
    lower = poses[:, 2] @ superegg.Pose([0, 0, 0.5])
    direct = superegg.distance(ball, ellipsoid, poses[:, 0], lower)
    np.testing.assert_allclose(found.distance[:, 0], direct.distance, atol=1e-8)
    assert np.all(found.lower <= found.distance) and np.all(found.distance <= found.upper)
    h = 1e-6
    for joint in range(2):
        step = np.zeros(2)
        step[joint] = h
        by_difference = (arm.distances(q + step).distance - arm.distances(q - step).distance) / (2 * h)
        np.testing.assert_allclose(found.gradient[..., joint], by_difference, atol=1e-4)
    free = arm.is_free(q)
    clear = np.abs(found.distance[:, 0]) > 1e-6
    np.testing.assert_array_equal(free[clear], (found.distance[:, 0] > 0)[clear])


def test_a_trajectory_touches_between_its_samples(arm):
    # Folding the elbow by half a turn brings the lower link onto the base.
    samples = np.array([[0.0, 0.0], [0.0, 3.1]])
    report = arm.check_trajectory(samples)
    sample, a, b = report.first_contact
    assert {a, b} == {"base", "lower"} and 0 < sample < 1
    at = lambda t: arm.distances([0, 3.1 * t]).distance[0]  # noqa: E731
    assert 0 <= at(sample) < 2e-5 and np.all([at(t) > 0 for t in np.linspace(0, sample, 50)])
    np.testing.assert_allclose(report.clearance, [at(0), at(1)], atol=1e-6)
    assert arm.check_trajectory(samples * 0.3).first_contact is None
    blocked = arm.with_obstacles(superegg.superellipsoid([0.2, 0.2, 0.2]), [0.9, 0, 1.0])
    assert ("lower", "obstacle 0") in blocked.pairs
    assert blocked.check_trajectory(samples * 0.6).first_contact[2] == "obstacle 0"
    allowed = arm.with_allowed([("base", "lower")])
    assert allowed.pairs == [] and allowed.check_trajectory(samples).first_contact is None


def test_robots_of_yourdfpy_are_taken(arm, tmp_path):
    yourdfpy = pytest.importorskip("yourdfpy")
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box(extents=[0.2, 0.2, 0.2]).export(tmp_path / "box.stl")
    text = ARM.replace('<sphere radius="0.1"/>', '<mesh filename="box.stl"/>').replace(
        '<ellipsoid radii="0.05 0.05 0.45"/>', '<sphere radius="0.1"/>'
    )
    path = tmp_path / "with_mesh.urdf"
    path.write_text(text)
    theirs = yourdfpy.URDF.load(str(path), load_meshes=False, load_collision_meshes=False, build_collision_scene_graph=False)
    ours = superegg.load_robot(theirs)
    same = superegg.load_robot(path)
    assert ours.link_names == same.link_names
    q = same.random(20)
    np.testing.assert_allclose(ours.distances(q).distance, same.distances(q).distance, atol=1e-9)
    # Their own kinematics is the reference for ours.
    theirs.update_cfg(dict(zip(ours.joint_names, q[0])))
    for at, link in enumerate(ours.link_names):
        np.testing.assert_allclose(theirs.get_transform(link), ours.link_poses(q[0])[at].as_matrix(), atol=1e-9)


def test_what_is_wrong_with_a_robot_is_said(tmp_path, arm):
    with pytest.raises(OSError):
        superegg.load_robot(tmp_path / "none.urdf")
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot name='x'><link name='a'/><link name='b'/></robot>")
    with pytest.raises(InvalidInput) as refused:
        superegg.load_robot(bad)
    assert refused.value.field == "file" and "line" in str(refused.value)
    odd = tmp_path / "odd.urdf"
    odd.write_text(ARM.replace("<robot", "<robot colour='red'"))
    assert any("colour" in line for line in superegg.load_robot(odd).diagnostics)
    with pytest.raises(InvalidInput):
        superegg.load_robot(odd, strict=True)
    for call in [lambda: arm.is_free([1.0]), lambda: arm.distances([np.nan, 0.0]), lambda: arm.is_free([[0, 0], [0, np.inf]])]:
        with pytest.raises(InvalidInput) as refused:
            call()
        assert refused.value.field.startswith("configuration")
    assert refused.value.index == (1,)
    with pytest.raises(InvalidInput):
        arm.with_allowed([("base", "nose")])


def test_a_robot_is_simulated(arm):
    world = superegg.Simulation()
    number = world.add_robot(arm, [0.0, 0.0])
    world.set_targets(number, [0.5, -0.3])
    world.step(0.005, count=400)
    # Servos hold against gravity, so that they end a little off.
    np.testing.assert_allclose(world.configuration(number), [0.5, -0.3], atol=0.1)
    for call, field in [
        (lambda: world.set_targets(number, [0.5]), "configuration"),
        (lambda: world.set_targets(number, [0.5, np.nan]), "configuration"),
        (lambda: world.set_targets(7, [0.5, 0]), "robot"),
        (lambda: world.add_robot(arm, frequency=0), "frequency"),
        (lambda: world.add_robot(arm, [0.0]), "configuration"),
        (lambda: arm.check_trajectory([[0, 0]], margin=-1), "margin"),
        (lambda: arm.check_trajectory([[0, 0]], tolerance=0), "tolerance"),
        (lambda: arm.check_trajectory([0, 0]), "samples"),
        (lambda: superegg.find_grasps(arm, superegg.superellipsoid([0.1] * 3), friction=-1), "friction"),
    ]:
        with pytest.raises(InvalidInput) as refused:
            call()
        assert refused.value.field == field


def test_a_robot_without_joints_is_free(tmp_path):
    path = tmp_path / "stone.urdf"
    path.write_text('<robot name="stone"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link></robot>')
    stone = superegg.load_robot(path)
    assert stone.joint_names == [] and stone.is_free(np.zeros(0)) and stone.is_free(np.zeros((3, 0))).tolist() == [True] * 3
    blocked = stone.with_obstacles(superegg.superellipsoid([1, 1, 1]), [0.5, 0, 0])
    assert not blocked.is_free(np.zeros(0)) and blocked.distances(np.zeros(0)).distance.shape == (1,)


def test_a_robot_without_pairs_has_no_distances(tmp_path):
    # This ended in a panic: rows of no numbers cannot be cut into blocks.
    path = tmp_path / "turntable.urdf"
    path.write_text("""<robot name="turntable"><link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
      <link name="table"/><joint name="turn" type="continuous"><parent link="base"/><child link="table"/></joint></robot>""")
    robot = superegg.load_robot(path)
    assert robot.pairs == []
    for dims in [(), (3,), (2, 20)]:
        found = robot.distances(np.zeros((*dims, 1)))
        assert found.distance.shape == (*dims, 0) and found.gradient.shape == (*dims, 0, 1)


def test_antipodal_contacts_close_with_friction_and_not_without(rng):
    # Not symmetric: at ties of several minima there is no gradient.
    points = np.array([[1, 0.1, 0.05], [-0.5, 0.9, 0.13], [-0.45, -0.8, -0.17], [0.07, 0.03, 1.0]])
    normals = -points / np.linalg.norm(points, axis=1, keepdims=True)
    found = superegg.grasp_quality(points, normals, [0.0, 0.8])
    assert found.closure[0] < 1 and found.closure[1] == 1 and found.lower[1] > 0 and found.upper[1] >= found.lower[1]
    assert found.min_weight[1] > 0
    # The gradient of min-weight by differences, along points: it is exact to some 1e-9, so that a short step would amplify its rounding.
    h = 1e-3
    for axis in range(3):
        step = np.zeros((4, 3))
        step[2, axis] = h
        ahead, behind = (superegg.grasp_quality(points + s, normals, 0.8).min_weight for s in (step, -step))
        assert found.min_weight_by_points[1, 2, axis] == pytest.approx((ahead - behind) / (2 * h), abs=1e-4)
    estimate = superegg.grasp_quality(points, normals, 0.8, certified=False)
    assert estimate.upper >= found.lower[1]
    with pytest.raises(InvalidInput) as refused:
        superegg.grasp_quality(points, 2 * normals)
    assert refused.value.field == "contacts"


def test_equal_seeds_find_equal_grasps():
    hand = superegg.load_robot("right-hand", allow_touching_at_rest=True)
    egg = superegg.superellipsoid([0.02, 0.02, 0.03], [1, 0.8])
    one, other = (superegg.find_grasps(hand, egg, attempts=300, friction=1.0, keep=4, seed=3) for _ in range(2))
    assert [g.lower for g in one] == [g.lower for g in other]
    assert all(a.lower >= b.lower for a, b in zip(one, one[1:]))
    for grasp in one:
        radius = np.abs(superegg.closest_point(egg, grasp.points).distance)
        assert radius.max() < 1e-3 and grasp.depth < 1e-4 and len(grasp.links) == len(grasp.points)
