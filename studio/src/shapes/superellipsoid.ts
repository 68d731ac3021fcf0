// Superellipsoids drawn by the client itself, where a session sends only their parameters: the unit body of given exponents, to be
// scaled by its radii. Directions are spread evenly and carried to the surface along their radius, so that flat faces and edges
// both have their share.

import { BufferAttribute, BufferGeometry } from 'three';

const [ROWS, COLUMNS] = [28, 56];
/** Of bodies of which many are shown. */
const [FEW_ROWS, FEW_COLUMNS] = [18, 30];

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
const MOST = 240;

/** The unit body of some exponents. It is shared: not to be disposed of. */
export function unitSuperellipsoid(exponents: readonly [number, number]): BufferGeometry {
  const rounded: [number, number] = [Number(exponents[0].toFixed(2)), Number(exponents[1].toFixed(2))];
  return remembered(rounded.join(), () => tessellated(rounded, ROWS, COLUMNS));
}

/** The unit body of some exponents, narrowed along z by a taper: coarser than the above. It is shared, too. */
export function unitSuperovoid(exponents: readonly [number, number], taper: readonly [number, number]): BufferGeometry {
  const round = (value: number) => Number(value.toFixed(2));
  const [e1, e2, tx, ty] = [round(exponents[0]), round(exponents[1]), round(taper[0]), round(taper[1])];
  return remembered(`${e1} ${e2} ${tx} ${ty}`, () => {
    const made = tessellated([e1, e2], FEW_ROWS, FEW_COLUMNS);
    if (tx === 0 && ty === 0) return made;
    const positions = made.getAttribute('position');
    const normals = made.getAttribute('normal');
    for (let k = 0; k < positions.count; k++) {
      const [x, y, z] = [positions.getX(k), positions.getY(k), positions.getZ(k)];
      const [sx, sy] = [1 + tx * z, 1 + ty * z];
      positions.setXY(k, x * sx, y * sy);
      // The gradient of the gauge of the place before it was narrowed.
      const [nx, ny, nz] = [normals.getX(k), normals.getY(k), normals.getZ(k)];
      const found: [number, number, number] = [nx / sx, ny / sy, nz - (nx * x * tx) / sx - (ny * y * ty) / sy];
      const length = Math.hypot(...found) || 1;
      normals.setXYZ(k, found[0] / length, found[1] / length, found[2] / length);
    }
    made.computeBoundingSphere();
    return made;
  });
}

function remembered(key: string, make: () => BufferGeometry): BufferGeometry {
  const found = known.get(key);
  if (found) return found;
  const made = make();
  if (known.size >= MOST) known.delete(known.keys().next().value ?? '');
  known.set(key, made);
  return made;
}

function tessellated(exponents: [number, number], rows: number, columns: number): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  for (let row = 0; row <= rows; row++) {
    const [up, flat] = [Math.sin(Math.PI * (row / rows - 0.5)), Math.cos(Math.PI * (row / rows - 0.5))];
    for (let column = 0; column <= columns; column++) {
      const angle = (2 * Math.PI * column) / columns;
      const direction: [number, number, number] = [flat * Math.cos(angle), flat * Math.sin(angle), up];
      const size = 1 / gauge(direction, exponents);
      const place: [number, number, number] = [direction[0] * size, direction[1] * size, direction[2] * size];
      positions.push(...place);
      normals.push(...normal(place, exponents));
    }
  }
  const triangles: number[] = [];
  const width = columns + 1;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
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
