// The bodies on the stage: meshes from the server's frames, placed by the document.

import {
  BackSide, BufferAttribute, BufferGeometry, CylinderGeometry, DoubleSide, FrontSide, Group, Mesh, MeshStandardMaterial,
  type Object3D, ShaderMaterial, SphereGeometry, Vector3, Color,
} from 'three';

import type { Frame } from '../link/geometry';
import { bodyColour, type StageColours } from '../stage/palette';
import type { Body } from './body';
import { hulls, isLine, isUnbounded, KINDS } from './forms';

/** A mesh as three.js wants it. */
export function geometryOf(frame: Frame): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(frame.positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(frame.normals, 3));
  geometry.setIndex(new BufferAttribute(frame.triangles, 1));
  geometry.computeBoundingSphere();
  return geometry;
}

/** Radii of a plane's rings, as parts of its reach, and how solid it is there. */
const PLANE_RINGS: [number, number][] = [[0, 1], [0.35, 1], [0.7, 0.45], [1, 0]];
const PLANE_SIDES = 72;

/** A plane as a disc that fades towards its rim: it has no end. The frame is the square that the server sends. */
export function planeGeometry(frame: Frame): BufferGeometry {
  const corner = (index: number) => new Vector3().fromArray(frame.positions, 3 * index);
  const middle = corner(0).add(corner(2)).multiplyScalar(0.5);
  const [u, v] = [corner(1).sub(corner(0)).multiplyScalar(0.5), corner(3).sub(corner(0)).multiplyScalar(0.5)];
  const normal = new Vector3().fromArray(frame.normals, 0);
  const [positions, normals, colours, corners]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const [ring, [radius, alpha]] of PLANE_RINGS.entries()) {
    for (let side = 0; side < PLANE_SIDES; side++) {
      const angle = (2 * Math.PI * side) / PLANE_SIDES;
      const at = middle.clone().addScaledVector(u, radius * Math.cos(angle)).addScaledVector(v, radius * Math.sin(angle));
      positions.push(...at.toArray());
      normals.push(...normal.toArray());
      colours.push(1, 1, 1, alpha);
      if (ring === 0) continue;
      const [here, next] = [ring * PLANE_SIDES + side, ring * PLANE_SIDES + ((side + 1) % PLANE_SIDES)];
      corners.push(here - PLANE_SIDES, here, next, here - PLANE_SIDES, next, next - PLANE_SIDES);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(colours), 4));
  geometry.setIndex(corners);
  geometry.computeBoundingSphere();
  return geometry;
}

/** A shell that shows as a line of even width around the silhouette. */
function outlineMaterial(colour: string): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide,
    uniforms: { colour: { value: new Color(colour) }, width: { value: 0.01 } },
    vertexShader: `uniform float width;
      void main() {
        vec4 position4 = modelViewMatrix * vec4(position, 1.0);
        position4.xyz += normalize(normalMatrix * normal) * width * -position4.z;
        gl_Position = projectionMatrix * position4;
      }`,
    fragmentShader: `uniform vec3 colour;
      void main() {
        gl_FragColor = vec4(colour, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

/** Planes have no silhouette, and a triangle's is its edges. */
function hasOutline(body: Body): boolean {
  return !isUnbounded(body) && (body.points === undefined || KINDS[body.type].surface === 'closed');
}

const PLACE = new Vector3();
const POINT = new SphereGeometry(1, 24, 16);
const ROD = new CylinderGeometry(1, 1, 1, 16).rotateX(Math.PI / 2);

export class BodyView {
  readonly group = new Group();
  /** What a pointer can hit. */
  readonly targets: Object3D[] = [];
  /** Radius of a ball around the body's origin that holds it; for a plane, of what matters. */
  reach = 0.1;
  private body: Body;
  private mesh: Mesh<BufferGeometry, MeshStandardMaterial> | null = null;
  private outline: Mesh<BufferGeometry, ShaderMaterial> | null = null;
  private readonly material: MeshStandardMaterial;
  private screenSized: Mesh[] = [];

  constructor(body: Body, private readonly index: number, private colours: StageColours) {
    this.body = body;
    const plane = isUnbounded(body);
    const colour = body.colour ?? (plane ? colours.plane : bodyColour(index));
    this.material = new MeshStandardMaterial({
      color: colour, roughness: plane ? 0.95 : 0.36, side: KINDS[body.type].surface === 'closed' ? FrontSide : DoubleSide,
      ...(plane ? { vertexColors: true, transparent: true, forceSinglePass: true } : {}),
    });
    this.group.userData['body'] = body.id;
    this.place(body, true);
  }

  get type(): Body['type'] {
    return this.body.type;
  }

  /** Whether it can show this body: those that taper become each other without a new view. */
  fits(body: Body): boolean {
    return body.type === this.body.type || (KINDS[body.type].tapers && KINDS[this.body.type].tapers);
  }

  get geometry(): BufferGeometry | null {
    return this.mesh?.geometry ?? null;
  }

  /** Follows the document. */
  place(body: Body, fresh = false): void {
    const changed = fresh || body.points !== this.body.points || body.parts !== this.body.parts;
    if (body.colour !== this.body.colour) this.material.color.set(body.colour ?? (isUnbounded(body) ? this.colours.plane : bodyColour(this.index)));
    this.body = body;
    this.group.position.set(...body.position);
    this.group.quaternion.set(...body.orientation).normalize();
    if (changed && (isLine(body) || body.parts)) this.drawHulls(body);
  }

  show(frame: Frame): void {
    if (frame.triangles.length === 0) return;
    const geometry = isUnbounded(this.body) ? planeGeometry(frame) : geometryOf(frame);
    if (this.mesh) {
      this.mesh.geometry.dispose();
      this.mesh.geometry = geometry;
      if (this.outline) this.outline.geometry = geometry;
    } else {
      this.mesh = new Mesh(geometry, this.material);
      this.mesh.castShadow = !isUnbounded(this.body);
      this.mesh.receiveShadow = true;
      this.group.add(this.mesh);
      this.targets.push(this.mesh);
    }
    const sphere = geometry.boundingSphere;
    if (sphere && !isUnbounded(this.body)) this.reach = sphere.radius + sphere.center.length();
  }

  select(selected: boolean): void {
    if (selected && this.mesh && !this.outline && hasOutline(this.body)) {
      this.outline = new Mesh(this.mesh.geometry, outlineMaterial(this.colours.outline));
      this.outline.userData['pixels'] = 2.2;
      this.group.add(this.outline);
    } else if (!selected && this.outline) {
      this.group.remove(this.outline);
      this.outline.material.dispose();
      this.outline = null;
    }
  }

  theme(colours: StageColours): void {
    this.colours = colours;
    if (isUnbounded(this.body) && !this.body.colour) this.material.color.set(colours.plane);
    if (this.outline) (this.outline.material.uniforms['colour'] as { value: Color }).value.set(colours.outline);
  }

  /** Keeps lines and dots at their size on the screen. */
  scale(metresPerPixelAt: (point: Vector3) => number, perDistance: number): void {
    if (this.outline) (this.outline.material.uniforms['width'] as { value: number }).value = 2.2 * perDistance;
    for (const object of this.screenSized) {
      const size = metresPerPixelAt(object.getWorldPosition(PLACE)) * (object.userData['pixels'] as number);
      const length = object.userData['length'] as number | undefined;
      object.scale.set(size, size, length ?? size);
    }
  }

  dispose(): void {
    this.mesh?.geometry.dispose();
    this.material.dispose();
    this.outline?.material.dispose();
  }

  /** Points and segments, which have no surface: dots and rods of a size on the screen. */
  private drawHulls(body: Body): void {
    for (const object of this.screenSized) this.group.remove(object);
    const found = hulls(body);
    const small = body.points !== undefined || body.parts !== undefined;
    this.screenSized = found.flatMap((hull) => {
      const points = hull.map((point) => new Vector3(...point));
      const dots = points.map((point) => {
        const dot = new Mesh(POINT, this.material);
        dot.position.copy(point);
        dot.userData['pixels'] = small ? 5 : 7;
        return dot;
      });
      const [from, to] = points;
      if (!from || !to) return dots;
      const rod = new Mesh(ROD, this.material);
      rod.position.copy(from).add(to).multiplyScalar(0.5);
      rod.lookAt(to);
      rod.userData['pixels'] = 3;
      rod.userData['length'] = from.distanceTo(to);
      return [...dots, rod];
    });
    this.targets.length = 0;
    if (this.mesh) this.targets.push(this.mesh);
    if (this.screenSized.length === 0) return;
    this.group.add(...this.screenSized);
    this.targets.push(...this.screenSized);
    const reach = Math.max(0.15, ...found.flat().map((point) => Math.hypot(...point)));
    this.reach = body.parts ? Math.max(this.reach, reach) : reach;
  }
}
