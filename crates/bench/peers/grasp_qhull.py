#!/usr/bin/env python3
"""Ferrari and Canny's quality by faceted cones and Qhull, for comparison. Needs `pip install scipy numpy`.

Usage: grasp_qhull.py FACETS < CONTACTS
Reads one grasp a line: for each contact point, inward normal (unit) and friction, seven numbers. Prints for each grasp the
milliseconds of processor time of the hull alone and the quality (zero if the origin is not inside).
"""
import sys
import time

import numpy as np
from scipy.spatial import ConvexHull, QhullError

facets = int(sys.argv[1])
for line in sys.stdin:
    contacts = np.array(line.split(), dtype=float).reshape(-1, 7)
    wrenches = []
    for point, normal, friction in ((c[:3], c[3:6], c[6]) for c in contacts):
        helper = np.eye(3)[np.argmin(np.abs(normal))]
        u = np.cross(normal, helper)
        u /= np.linalg.norm(u)
        v = np.cross(normal, u)
        for angle in 2 * np.pi * np.arange(facets) / facets:
            force = normal + friction * (np.cos(angle) * u + np.sin(angle) * v)
            wrenches.append(np.concatenate([force, np.cross(point, force)]))
    start = time.process_time()
    try:
        hull = ConvexHull(np.array(wrenches))
        quality = max(0.0, float(np.min(-hull.equations[:, -1])))
    except QhullError:
        quality = 0.0
    print(1e3 * (time.process_time() - start), quality)
