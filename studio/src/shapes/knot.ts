// An example of a mesh: a trefoil knot as an OBJ file.

const AROUND = 16;
const ALONG = 140;
const THICKNESS = 0.3;

type Triple = [number, number, number];

/** The middle of the rope. */
function middle(t: number): Triple {
  const out = 0.42 * (2 + Math.cos(3 * t));
  return [out * Math.cos(2 * t), out * Math.sin(2 * t), 0.55 * Math.sin(3 * t)];
}

const cross = ([a, b, c]: Triple, [x, y, z]: Triple): Triple => [b * z - c * y, c * x - a * z, a * y - b * x];
const minus = (p: Triple, q: Triple): Triple => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];

function unit([x, y, z]: Triple): Triple {
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}

export function trefoil(): File {
  const lines: string[] = ['# A trefoil knot, as an example'];
  for (let ring = 0; ring < ALONG; ring++) {
    const t = (2 * Math.PI * ring) / ALONG;
    const [before, at, after] = [middle(t - 0.01), middle(t), middle(t + 0.01)];
    const along = unit(minus(after, before));
    // The rope's own side: across its way, as level as it can be.
    const side = unit(cross(along, [0, 0, 1]));
    const up = cross(side, along);
    for (let corner = 0; corner < AROUND; corner++) {
      const angle = (2 * Math.PI * corner) / AROUND;
      const [c, s] = [THICKNESS * Math.cos(angle), THICKNESS * Math.sin(angle)];
      lines.push(`v ${at.map((middle, axis) => (middle + c * (side[axis] ?? 0) + s * (up[axis] ?? 0)).toFixed(5)).join(' ')}`);
    }
  }
  const index = (ring: number, corner: number) => (ring % ALONG) * AROUND + (corner % AROUND) + 1;
  for (let ring = 0; ring < ALONG; ring++) {
    for (let corner = 0; corner < AROUND; corner++) {
      lines.push(`f ${index(ring, corner)} ${index(ring + 1, corner)} ${index(ring + 1, corner + 1)} ${index(ring, corner + 1)}`);
    }
  }
  return new File([`${lines.join('\n')}\n`], 'trefoil.obj');
}
