"""Answers a data set of `superegg bench export` with coal or MuJoCo: `answer_pairs.py coal DIR ANSWERS`.

Needs NumPy and `pip install coal` or `pip install mujoco`. Classes that the peer has no bodies for are left out, pairs that it
has none for (frustums) stay without an answer. Score them with `superegg bench score DIR ANSWERS`. Times are those of calls
from Python, the least of three; both spend about a microsecond of each on the call itself.
"""

import pathlib
import struct
import sys
import time

import numpy as np

TRIES = 3


def read(path):
    """The class, and a dictionary of arrays, one row a pair."""
    with open(path, "rb") as file:
        magic, version, length, rows, width, count = struct.unpack("<8sIIQII", file.read(32))
        if magic != b"SUPEREGG" or version != 1:
            raise ValueError(f"{path}: not a file of pairs")
        table = file.read(length - 32)
    at = 0

    def text():
        nonlocal at
        (size,) = struct.unpack_from("<I", table, at)
        at += 4 + size
        return table[at - size : at].decode()

    name, fields = text(), {}
    for _ in range(count):
        key = text()
        fields[key] = struct.unpack_from("<II", table, at)
        at += 8
    data = np.memmap(path, "<f8", "r", offset=length, shape=(rows, width))
    return name, {key: data[:, start : start + size] for key, (start, size) in fields.items()}


class Coal:
    """coal's `distance`, which answers with minus the depth in overlap."""

    kinds = ("ellipsoids", "primitives", "hulls")

    def __init__(self):
        import coal

        self.coal = coal

    def body(self, kind, numbers):
        """A body; none for frustums."""
        coal = self.coal
        if kind == "ellipsoids":
            return coal.Ellipsoid(*numbers[:3])
        if kind == "hulls":
            points = coal.StdVec_Vec3s()
            points.extend(list(np.asarray(numbers).reshape(-1, 3)))
            return coal.Convex.convexHull(points, False, None)
        code, x, y, z, rounding = numbers
        if code == 0:
            return coal.Sphere(rounding) if x == 0 else coal.Capsule(rounding, 2 * x)
        if code == 1:
            body = coal.Box(2 * x, 2 * y, 2 * z)
        elif x == y:
            body = coal.Cylinder(x, 2 * z)
        elif y == 0:
            body = coal.Cone(x, 2 * z)
        else:
            return None
        body.setSweptSphereRadius(rounding)
        return body

    def pose(self, position, orientation):
        pose = self.coal.Transform3s()
        pose.setTranslation(np.asarray(position))
        pose.setRotation(matrix(orientation))
        return pose

    def ask(self, bodies, poses):
        """Distance, points, normal and seconds."""
        request, best = self.coal.DistanceRequest(), np.inf
        for _ in range(TRIES):
            result = self.coal.DistanceResult()
            start = time.perf_counter()
            distance = self.coal.distance(bodies[0], poses[0], bodies[1], poses[1], request, result)
            best = min(best, time.perf_counter() - start)
        return [distance, *result.getNearestPoint1(), *result.getNearestPoint2(), *result.normal, best]


class Mujoco:
    """MuJoCo's `mj_geomDistance` of geoms whose sizes and places are set for every pair."""

    kinds = ("ellipsoids",)

    def __init__(self):
        import mujoco

        self.mujoco = mujoco
        geom = '<body><freejoint/><geom type="ellipsoid" size="1 1 1"/></body>'
        xml = f"<mujoco><worldbody>{geom}{geom}</worldbody></mujoco>"
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.points = np.zeros(6)

    def body(self, _, numbers):
        return np.asarray(numbers[:3])

    def pose(self, position, orientation):
        return np.asarray(position), matrix(orientation).reshape(9)

    def ask(self, bodies, poses):
        """Distance, points, normal and seconds."""
        for index in range(2):
            self.model.geom_size[index] = bodies[index]
            self.model.geom_rbound[index] = max(bodies[index])
            self.data.geom_xpos[index], self.data.geom_xmat[index] = poses[index]
        best = np.inf
        for _ in range(TRIES):
            start = time.perf_counter()
            distance = self.mujoco.mj_geomDistance(self.model, self.data, 0, 1, 1e3, self.points)
            best = min(best, time.perf_counter() - start)
        between = self.points[3:] - self.points[:3]
        length = np.linalg.norm(between)
        normal = between / (length if distance >= 0 else -length) if length > 0 else np.full(3, np.nan)
        return [distance, *self.points, *normal, best]


def matrix(orientation):
    """The rotation of a unit quaternion x, y, z, w."""
    x, y, z, w = orientation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


COLUMNS = "distance,point_a_x,point_a_y,point_a_z,point_b_x,point_b_y,point_b_z,normal_x,normal_y,normal_z,seconds"


def main(peer, folder, answers):
    peer = {"coal": Coal, "mujoco": Mujoco}[peer]()
    answers = pathlib.Path(answers)
    answers.mkdir(parents=True, exist_ok=True)
    for path in sorted(pathlib.Path(folder).glob("*.bin")):
        name, pairs = read(path)
        kind = name.split("_")[0]
        if kind not in peer.kinds:
            continue
        keys = list(pairs)
        with open(answers / f"{name}.csv", "w", encoding="utf-8") as out:
            out.write(COLUMNS + "\n")
            for row in range(len(pairs["distance"])):
                bodies = [peer.body(kind, pairs[keys[index]][row]) for index in (0, 3)]
                poses = [peer.pose(pairs[f"{one}_position"][row], pairs[f"{one}_orientation"][row]) for one in "ab"]
                known = all(body is not None for body in bodies)
                numbers = peer.ask(bodies, poses) if known else [np.nan] * 11
                out.write(",".join(repr(float(number)) for number in numbers) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("coal", "mujoco"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
