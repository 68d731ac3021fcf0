// The cloth as it lies, in one look or the other. Its topology comes once, its places with every frame.

import { BufferAttribute, BufferGeometry, Color, Mesh, type MeshStandardMaterial, type Ray, Vector3 } from 'three';

import type { Frame } from '../../link/geometry';
import type { Layer } from '../../stage/stage';
import { clothMaterial, terrainMaterial, type LookUniforms } from './looks';
import type { Look } from './store';
import { AIR } from './surroundings';

/** Where a ray meets the cloth. */
export interface ClothHit {
  point: Vector3;
  triangle: number;
  /** Weights of the triangle's second and third corner. */
  weights: [number, number];
  /** Where on the cloth, in parts of its sides. */
  place: [number, number];
}

export class ClothLayer implements Layer {
  readonly uniforms: LookUniforms = { top: { value: 0.5 }, fog: { value: 0.045 }, air: { value: new Color().copy(AIR) } };
  readonly object: Mesh<BufferGeometry, MeshStandardMaterial>;
  private readonly materials: Record<Look, MeshStandardMaterial>;
  private positions: Float32Array = new Float32Array();

  constructor() {
    this.materials = { cloth: clothMaterial(this.uniforms), terrain: terrainMaterial(this.uniforms) };
    this.object = new Mesh(new BufferGeometry(), this.materials.cloth);
    this.object.castShadow = true;
    this.object.receiveShadow = true;
    this.object.frustumCulled = false;
  }

  show(look: Look): void {
    this.object.material = this.materials[look];
  }

  /** Another cloth. */
  topology(frame: Frame): void {
    const side = Math.round(Math.sqrt(frame.positions.length / 3));
    const rest = new Float32Array(2 * side * side);
    for (let k = 0; k < side * side; k++) {
      rest[2 * k] = (k % side) / (side - 1);
      rest[2 * k + 1] = Math.floor(k / side) / (side - 1);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(frame.positions, 3));
    geometry.setAttribute('rest', new BufferAttribute(rest, 2));
    geometry.setIndex(new BufferAttribute(frame.triangles, 1));
    this.object.geometry.dispose();
    this.object.geometry = geometry;
    this.place(frame.positions);
  }

  /** Where it lies now; false for places of a cloth that is not known yet. */
  place(positions: Float32Array): boolean {
    const { geometry } = this.object;
    const attribute = geometry.getAttribute('position') as BufferAttribute | undefined;
    if (attribute?.array.length !== positions.length) return false;
    this.positions = positions;
    attribute.copyArray(positions);
    attribute.needsUpdate = true;
    geometry.computeVertexNormals();
    let top = 0;
    for (let k = 2; k < positions.length; k += 3) top = Math.max(top, positions[k] ?? 0);
    this.uniforms.top.value = top;
    return true;
  }

  get top(): number {
    return this.uniforms.top.value;
  }

  /** Where a vertex is. */
  vertex(index: number): Vector3 {
    return new Vector3().fromArray(this.positions, 3 * index);
  }

  /** The nearest place of the cloth on a ray. */
  meet(ray: Ray): ClothHit | null {
    const index = this.object.geometry.getIndex()?.array;
    const rest = this.object.geometry.getAttribute('rest') as BufferAttribute | undefined;
    if (!index || !rest) return null;
    const [a, b, c, point] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    let best: ClothHit | null = null;
    let nearest = Infinity;
    for (let k = 0; k < index.length; k += 3) {
      const corners = [index[k] ?? 0, index[k + 1] ?? 0, index[k + 2] ?? 0] as const;
      a.fromArray(this.positions, 3 * corners[0]);
      b.fromArray(this.positions, 3 * corners[1]);
      c.fromArray(this.positions, 3 * corners[2]);
      if (!ray.intersectTriangle(a, b, c, false, point)) continue;
      const far = point.distanceToSquared(ray.origin);
      if (far >= nearest) continue;
      nearest = far;
      const weights = weightsIn(point, a, b, c);
      const mix = (at: (vertex: number) => number) => at(corners[0]) * (1 - weights[0] - weights[1]) + at(corners[1]) * weights[0] + at(corners[2]) * weights[1];
      best = { point: point.clone(), triangle: k / 3, weights, place: [mix((vertex) => rest.getX(vertex)), mix((vertex) => rest.getY(vertex))] };
    }
    return best;
  }

  dispose(): void {
    this.object.geometry.dispose();
    for (const material of Object.values(this.materials)) material.dispose();
  }
}

function weightsIn(p: Vector3, a: Vector3, b: Vector3, c: Vector3): [number, number] {
  const [u, v, w] = [b.clone().sub(a), c.clone().sub(a), p.clone().sub(a)];
  const [uu, uv, vv, wu, wv] = [u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v)];
  const area = uu * vv - uv * uv;
  return area > 0 ? [(wu * vv - wv * uv) / area, (wv * uu - wu * uv) / area] : [0, 0];
}
