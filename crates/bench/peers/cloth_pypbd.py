#!/usr/bin/env python3
"""The tablecloth with pyPBD, for comparison. Needs `pip install pyPBD numpy`.

Usage: cloth_pypbd.py COLUMNS ROWS [SECONDS]
Runs the same cloth as `superegg sim tablecloth` (11 m x 9.9 m, two metres above the table, dt 0.005, 5 substeps,
distance and isometric bending constraints by XPBD, tolerance 0.025 m) on one thread. The table is a cubic signed distance
field, since pyPBD has no superellipsoids. Prints one line of JSON: milliseconds of processor time a step, and the deepest
point of the cloth's triangles in the table at the end of any tenth step, sampled at 15 points a triangle and measured
towards the table's centre, which is no less than the true depth.
"""
import json
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402
import pypbd as pbd  # noqa: E402

RADII = np.array([3.5, 2.0, 3.0])  # y is up here
E1, E2 = 0.4, 0.3


def signed_power(x, p):
    return np.sign(x) * np.abs(x) ** p


def table_mesh(count):
    """A closed mesh of the superellipsoid."""
    latitudes = np.linspace(-np.pi / 2, np.pi / 2, count)[1:-1]
    longitudes = np.linspace(-np.pi, np.pi, 2 * count, endpoint=False)
    vertices = [[0.0, -RADII[1], 0.0]]
    for latitude in latitudes:
        for longitude in longitudes:
            ring = signed_power(np.cos(latitude), E2)
            vertices.append(RADII * [ring * signed_power(np.cos(longitude), E1), signed_power(np.sin(latitude), E2),
                                     ring * signed_power(np.sin(longitude), E1)])
    vertices.append([0.0, RADII[1], 0.0])
    n, last = len(longitudes), len(vertices) - 1
    faces = [[0, 1 + i, 1 + (i + 1) % n] for i in range(n)]
    for ring in range(len(latitudes) - 1):
        for i in range(n):
            a, b = 1 + ring * n + i, 1 + ring * n + (i + 1) % n
            faces += [[a, a + n, b], [b, a + n, b + n]]
    top = 1 + (len(latitudes) - 1) * n
    faces += [[top + i, last, top + (i + 1) % n] for i in range(n)]
    return vertices, faces


def deepest(points, triangles, weights):
    samples = np.einsum("sk,tkc->tsc", weights, points[triangles])
    x, y, z = np.moveaxis(np.abs(samples / RADII), -1, 0)
    gauge = ((x ** (2 / E1) + z ** (2 / E1)) ** (E1 / E2) + y ** (2 / E2)) ** (E2 / 2)
    inside = gauge < 1
    if not inside.any():
        return 0.0
    return float((np.linalg.norm(samples, axis=-1) * (1 / np.maximum(gauge, 1e-9) - 1))[inside].max())


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    step_controller = simulation.getTimeStep()
    detection = pbd.CubicSDFCollisionDetection()
    step_controller.setCollisionDetection(model, detection)
    detection.setTolerance(0.025)
    pbd.TimeManager.getCurrent().setTimeStepSize(0.005)
    step_controller.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, 5)
    step_controller.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)

    vertices, faces = table_mesh(48)
    data, mesh = pbd.VertexData(), pbd.IndexedFaceMesh()
    mesh.initMesh(len(vertices), 3 * len(faces), len(faces))
    for vertex in vertices:
        data.addVertex(vertex)
    for face in faces:
        mesh.addFace(face)
    mesh.buildNeighbors()
    sdf = pbd.CubicSDFCollisionDetection.generateSDF(data, mesh, [40, 40, 40])
    body = model.addRigidBody(1.0, data, mesh, translation=[0, 0, 0], rotation=np.eye(3), scale=[1, 1, 1], testMesh=False,
                              sdf=sdf)
    body.setMass(0.0)
    body.setFrictionCoeff(0.3)

    u, v = np.meshgrid(np.linspace(-5.5, 5.5, columns), np.linspace(-4.95, 4.95, rows))
    points = np.stack([u.ravel(), np.full(u.size, 4.0), v.ravel()], axis=1)
    indices = []
    for j in range(rows - 1):
        for i in range(columns - 1):
            a, b = i + columns * j, i + columns * (j + 1)
            indices += [a, a + 1, b + 1, a, b + 1, b] if (i + j) % 2 == 0 else [a, a + 1, b, a + 1, b + 1, b]
    cloth = model.addTriangleModel(list(points), indices, testMesh=True)
    cloth.setFrictionCoeff(0.3)
    particles = model.getParticles()
    area = 11.0 * 9.9 * 0.2 / len(points)
    for i in range(len(points)):
        particles.setMass(i, area)
    model.addClothConstraints(cloth, 4, 1e6, 1, 1, 1, 0.3, 0.3, False, False)
    model.addBendingConstraints(cloth, 3, 1e-4)

    triangles = np.array(indices).reshape(-1, 3)
    grid = [(i / 4, j / 4) for i in range(5) for j in range(5 - i)]
    weights = np.array([[a, b, 1 - a - b] for a, b in grid])
    steps = round(seconds / 0.005)
    worst = 0.0
    per_step = []
    for index in range(steps):
        started = time.process_time()
        step_controller.step(model)
        per_step.append(time.process_time() - started)
        if index % 10 == 9:
            positions = np.array(particles.getVertices())
            worst = max(worst, deepest(positions, triangles, weights))
    final = deepest(np.array(particles.getVertices()), triangles, weights)
    positions = np.array(particles.getVertices())
    print(json.dumps({"vertices": len(points), "steps": steps, "ms": 1e3 * float(np.mean(per_step)),
                      "ms_last_second": 1e3 * float(np.mean(per_step[-200:])), "depth": worst, "final_depth": final,
                      "lowest": float(positions[:, 1].min()), "highest": float(positions[:, 1].max())}))


if __name__ == "__main__":
    main()
