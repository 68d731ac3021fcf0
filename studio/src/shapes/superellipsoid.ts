// Superellipsoids drawn by the client itself, where a session sends only their parameters: the unit body of given exponents, to be
// scaled by its radii. Directions are spread evenly and carried to the surface along their radius, so that flat faces and edges
// both have their share.

import { BufferAttribute, BufferGeometry } from 'three';

const [ROWS, COLUMNS] = [28, 56];

/** The gauge of the unit body: 1 on its surface, and proportional along every radius. */
export function gauge([x, y, z]: readonly [number, number, number], [e1, e2]: readonly [number, number]): number {
  const across = (Math.abs(x) ** (2 / e1) + Math.abs(y) ** (2 / e1)) ** (e1 / e2);
  return (across + Math.abs(z) ** (2 / e2)) ** (e2 / 2);
}

/** The direction in which the gauge grows. */
function normal([x, y, z]: readonly [number, number, number], [e1, e2]: readonly [number, number]): [number, number, number] {
  const power = (value: number, exponent: number) => Math.sign(value) * Math.abs(value) ** exponent;
  const inner = Math.abs(x) ** (2 / e1) + Math.abs(y) ** (2 / e1);
  const shared = inner > 1e-12 ? inner ** (e1 / e2 - 1) : 0;
  const found: [number, number, number] = [shared * power(x, 2 / e1 - 1), shared * power(y, 2 / e1 - 1), power(z, 2 / e2 - 1)];
  const length = Math.hypot(...found);
  return length > 1e-9 && Number.isFinite(length) ? [found[0] / length, found[1] / length, found[2] / length] : [0, 0, Math.sign(z) || 1];
}

const known = new Map<string, BufferGeometry>();
/** Bodies of different exponents that are remembered. */
const MOST = 160;

/** The unit body of some exponents. It is shared: not to be disposed of. */
export function unitSuperellipsoid(exponents: readonly [number, number]): BufferGeometry {
  const rounded: [number, number] = [Number(exponents[0].toFixed(2)), Number(exponents[1].toFixed(2))];
  const key = rounded.join();
  const found = known.get(key);
  if (found) return found;
  const made = tessellated(rounded);
  if (known.size >= MOST) known.delete(known.keys().next().value ?? '');
  known.set(key, made);
  return made;
}

function tessellated(exponents: [number, number]): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  for (let row = 0; row <= ROWS; row++) {
    const [up, flat] = [Math.sin(Math.PI * (row / ROWS - 0.5)), Math.cos(Math.PI * (row / ROWS - 0.5))];
    for (let column = 0; column <= COLUMNS; column++) {
      const angle = (2 * Math.PI * column) / COLUMNS;
      const direction: [number, number, number] = [flat * Math.cos(angle), flat * Math.sin(angle), up];
      const size = 1 / gauge(direction, exponents);
      const place: [number, number, number] = [direction[0] * size, direction[1] * size, direction[2] * size];
      positions.push(...place);
      normals.push(...normal(place, exponents));
    }
  }
  const triangles: number[] = [];
  const width = COLUMNS + 1;
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      const at = row * width + column;
      triangles.push(at, at + 1, at + width + 1, at, at + width + 1, at + width);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(triangles);
  geometry.computeBoundingSphere();
  return geometry;
}
