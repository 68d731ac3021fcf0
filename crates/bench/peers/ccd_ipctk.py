#!/usr/bin/env python3
"""The cloth-ball frames with ipc-toolkit, for comparison. Needs `pip install ipctk numpy`.

Usage: ccd_ipctk.py FOLDER   (with cloth_ball92.ply and cloth_ball93.ply)
Prints candidates, collisions and seconds of processor time: broad phase by LBVH, narrow phase by Tight-Inclusion, on one thread.
"""
import sys
import time

import ipctk
import numpy as np


def read_ply(path):
    """Big-endian vertices x y z and triangles, as these frames are stored."""
    with open(path, "rb") as file:
        counts = {}
        while (line := file.readline().decode().split()) != ["end_header"]:
            if line[0] == "element":
                counts[line[1]] = int(line[2])
        vertices = np.fromfile(file, ">f4", 3 * counts["vertex"]).reshape(-1, 3).astype(float)
        faces = np.fromfile(file, np.dtype([("n", "u1"), ("v", ">i4", 3)]), counts["face"])
    return vertices, faces["v"].astype(np.int32)


def main():
    ipctk.set_num_threads(1)
    v0, faces = read_ply(f"{sys.argv[1]}/cloth_ball92.ply")
    v1, _ = read_ply(f"{sys.argv[1]}/cloth_ball93.ply")
    edges = ipctk.edges(faces)
    mesh = ipctk.CollisionMesh(v0, edges, faces)

    candidates = ipctk.Candidates()
    started = time.process_time()
    candidates.build(mesh, v0, v1, broad_phase=ipctk.LBVH())
    broad = time.process_time() - started
    pairs = len(candidates)
    print(f"broad phase: {pairs} candidates, {broad:.2f} s")

    started = time.process_time()
    step = candidates.compute_collision_free_stepsize(mesh, v0, v1)
    first = time.process_time() - started
    print(f"first contact by Tight-Inclusion: {step:.3e}, {first:.2f} s; with broad phase {broad + first:.2f} s")

    ccd = ipctk.TightInclusionCCD()
    started = time.process_time()
    hits = 0
    for candidate in (candidates[i] for i in range(pairs)):
        x0 = candidate.dof(v0, edges, faces)
        x1 = candidate.dof(v1, edges, faces)
        hits += candidate.ccd(x0, x1, narrow_phase_ccd=ccd)[0]
        if time.process_time() - started > 120:
            print("all collisions: stopped after 120 s (calls from Python dominate)")
            return
    every = time.process_time() - started
    print(f"all collisions by Tight-Inclusion, called one by one: {hits}, {every:.2f} s")


if __name__ == "__main__":
    main()
