// The bodies under the cloth, twice each: as solids where the session has them, seen where no cloth lies over them, and as
// silhouettes through the cloth where the hand wants them.

import { Color, FrontSide, GreaterDepth, Group, Mesh, MeshStandardMaterial, ShaderMaterial, type Object3D } from 'three';

import type { StateFrame } from '../../link/state-frame';
import { unitSuperellipsoid } from '../../shapes/superellipsoid';
import type { Layer } from '../../stage/stage';
import { bodyColour } from '../../stage/palette';
import type { Hill } from './messages';
import type { Look } from './store';

/** The bodies as an object of frames. */
const HILLS = 2;
/** Numbers of a body in a frame: id, radii, exponents. */
const NUMBERS = 6;

interface HillView {
  solid: Mesh;
  silhouette: Mesh;
}

export class HillsLayer implements Layer {
  readonly object = new Group();
  private readonly views = new Map<number, HillView>();
  private look: Look = 'cloth';
  private chosen: number[] = [];

  /** Follows the document: what hands want. */
  follow(hills: Hill[], chosen: number[]): void {
    this.chosen = chosen;
    const ids = new Set(hills.map(({ id }) => id));
    for (const [id, view] of this.views) {
      if (ids.has(id)) continue;
      this.object.remove(view.solid, view.silhouette);
      for (const mesh of [view.solid, view.silhouette]) (mesh.material as MeshStandardMaterial).dispose();
      this.views.delete(id);
    }
    for (const hill of hills) {
      const { silhouette, solid } = this.view(hill.id);
      silhouette.geometry = unitSuperellipsoid(hill.exponents);
      silhouette.position.set(...hill.position, hill.lift * hill.radii[2]);
      silhouette.rotation.z = hill.turn;
      silhouette.scale.set(...hill.radii);
      silhouette.updateMatrixWorld();
      const isChosen = chosen.includes(hill.id);
      (silhouette.material as ShaderMaterial).uniforms['strength'] = { value: isChosen ? 1 : 0.55 };
      silhouette.visible = this.look === 'cloth' || isChosen;
      // Until the first frame tells where it is.
      if (!solid.userData['placed']) solid.visible = false;
    }
  }

  show(look: Look): void {
    this.look = look;
    for (const [id, { silhouette, solid }] of this.views) {
      silhouette.visible = look === 'cloth' || this.chosen.includes(id);
      solid.visible = look === 'cloth' && solid.userData['placed'] === true;
    }
  }

  /** Where the session has them. */
  place(frame: StateFrame): void {
    const numbers = frame.scalars.get(HILLS);
    const poses = frame.poses.get(HILLS);
    if (!numbers || !poses) return;
    for (const [index, pose] of poses.entries()) {
      const solid = this.views.get(pose.id)?.solid;
      if (!solid) continue;
      const [, a = 1, b = 1, c = 1, e1 = 1, e2 = 1] = numbers.subarray(NUMBERS * index, NUMBERS * (index + 1));
      solid.geometry = unitSuperellipsoid([e1, e2]);
      solid.position.set(...pose.position);
      solid.quaternion.set(...pose.orientation).normalize();
      solid.scale.set(a, b, c);
      solid.userData['placed'] = true;
      solid.visible = this.look === 'cloth';
    }
  }

  /** What a pointer can hit: bodies where hands want them. */
  targets(): Object3D[] {
    return [...this.views.values()].map(({ silhouette }) => silhouette);
  }

  dispose(): void {
    this.follow([], []);
  }

  private view(id: number): HillView {
    const found = this.views.get(id);
    if (found) return found;
    const colour = bodyColour(id);
    const solid = new Mesh(unitSuperellipsoid([1, 1]), new MeshStandardMaterial({ color: colour, roughness: 0.45 }));
    solid.castShadow = true;
    solid.receiveShadow = true;
    const silhouette = new Mesh(unitSuperellipsoid([1, 1]), silhouetteMaterial(colour));
    silhouette.renderOrder = 5;
    silhouette.userData['hill'] = id;
    const made = { solid, silhouette };
    this.views.set(id, made);
    this.object.add(solid, silhouette);
    return made;
  }
}

/** Seen only behind other things: faint in the middle, plain along the rim. */
function silhouetteMaterial(colour: string): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true, depthWrite: false, depthFunc: GreaterDepth, side: FrontSide,
    uniforms: { colour: { value: new Color(colour) }, strength: { value: 0.55 } },
    vertexShader: `varying vec3 seen; varying vec3 up;
      void main() { vec4 at = modelViewMatrix * vec4(position, 1.0); seen = -at.xyz; up = normalMatrix * normal; gl_Position = projectionMatrix * at; }`,
    fragmentShader: `uniform vec3 colour; uniform float strength; varying vec3 seen; varying vec3 up;
      void main() {
        float facing = abs(dot(normalize(seen), normalize(up)));
        float rim = smoothstep(0.55, 0.08, facing);
        gl_FragColor = vec4(mix(colour, vec3(1.0), 0.35 * rim), strength * (0.20 + 0.75 * rim));
        #include <colorspace_fragment>
      }`,
  });
}
