// The one who walks on the landscape: a superegg with eyes and feet, and the camera that the session places behind it.

import { Group, MathUtils, Mesh, MeshStandardMaterial, PerspectiveCamera, SphereGeometry, Vector3 } from 'three';

import type { StateFrame } from '../../link/state-frame';
import { unitSuperellipsoid } from '../../shapes/superellipsoid';
import type { Rig } from '../../stage/camera';
import type { Layer } from '../../stage/stage';

const [WALKER, CAMERA] = [3, 4];
const BALL = new SphereGeometry(1, 20, 14);

export class WalkerLayer implements Layer {
  readonly object = new Group();
  private readonly body = new Group();
  private readonly feet: Mesh[];
  private stride = 0;

  /** As tall as the session says, in metres of the table. */
  constructor(height: number) {
    const [yolk, white, ink] = [new MeshStandardMaterial({ color: '#f2a93b', roughness: 0.35 }), new MeshStandardMaterial({ color: '#ffffff', roughness: 0.2 }), new MeshStandardMaterial({ color: '#20242c', roughness: 0.3 })];
    const egg = new Mesh(unitSuperellipsoid([0.9, 0.8]), yolk);
    egg.scale.set(0.25, 0.25, 0.42);
    egg.position.z = 0.5;
    const belt = new Mesh(unitSuperellipsoid([0.9, 0.8]), new MeshStandardMaterial({ color: '#2f7f8f', roughness: 0.6 }));
    belt.scale.set(0.258, 0.258, 0.12);
    belt.position.z = 0.36;
    this.body.add(egg, belt);
    for (const side of [-1, 1]) {
      const eye = new Mesh(BALL, white);
      eye.scale.set(0.045, 0.06, 0.075);
      eye.position.set(0.205, 0.085 * side, 0.66);
      const pupil = new Mesh(BALL, ink);
      pupil.scale.set(0.025, 0.03, 0.042);
      pupil.position.set(0.238, 0.085 * side, 0.66);
      this.body.add(eye, pupil);
    }
    this.feet = [-1, 1].map((side) => {
      const foot = new Mesh(BALL, ink);
      foot.scale.set(0.13, 0.085, 0.05);
      foot.position.set(0.03, 0.12 * side, 0.05);
      return foot;
    });
    this.object.add(this.body, ...this.feet);
    this.object.scale.setScalar(height);
    this.object.traverse((part) => {
      part.castShadow = true;
    });
    this.object.visible = false;
  }

  /** Where it is; false when a frame has none. */
  place(frame: StateFrame): boolean {
    const [pose] = frame.poses.get(WALKER) ?? [];
    const numbers = frame.scalars.get(CAMERA);
    if (!pose || !numbers) return false;
    const moved = this.object.position.distanceTo(new Vector3(...pose.position)) / this.object.scale.x;
    this.object.position.set(...pose.position);
    this.object.quaternion.set(...pose.orientation).normalize();
    const standing = (numbers[6] ?? 0) > 0.5;
    this.stride = standing ? this.stride + 2.4 * Math.min(moved, 1) : this.stride;
    const pace = Math.min(numbers[7] ?? 0, 1);
    for (const [index, foot] of this.feet.entries()) {
      const swing = Math.sin(this.stride * Math.PI + index * Math.PI);
      foot.position.x = 0.03 + 0.17 * pace * swing;
      foot.position.z = standing ? 0.055 + 0.09 * pace * Math.max(0, Math.cos(this.stride * Math.PI + index * Math.PI)) : 0.02;
    }
    this.body.position.z = standing ? 0.035 * pace * Math.abs(Math.sin(this.stride * Math.PI)) : 0.04;
    this.body.rotation.y = 0.12 * pace;
    return true;
  }
}

/** A camera that is where the session says. */
export class WalkRig implements Rig {
  readonly camera = new PerspectiveCamera(58, 1, 0.002, 90);
  readonly target = new Vector3();

  constructor() {
    this.camera.up.set(0, 0, 1);
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.target);
  }

  place(frame: StateFrame): void {
    const numbers = frame.scalars.get(CAMERA);
    if (!numbers) return;
    this.camera.position.fromArray(numbers, 0);
    this.target.fromArray(numbers, 3);
    this.camera.lookAt(this.target);
    // The walker stands in the lower half, so that one sees where one goes.
    this.camera.rotateX(0.16);
    this.camera.updateMatrixWorld();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(height, 1);
    // A narrow window sees as much to the sides as a wide one does up and down.
    this.camera.fov = this.camera.aspect < 1 ? 72 : 58;
    this.camera.updateProjectionMatrix();
  }

  glide(): boolean {
    return false;
  }

  metresPerPixel(height: number, depth = this.distance): number {
    return (2 * depth * Math.tan(MathUtils.degToRad(this.camera.fov / 2))) / Math.max(height, 1);
  }

  /** The session places it: hands act on the walker's look instead. */
  drag(): void {
    this.camera.updateMatrixWorld();
  }

  shift(): void {
    this.camera.updateMatrixWorld();
  }

  zoom(): void {
    this.camera.updateMatrixWorld();
  }

  frame(): void {
    this.camera.updateMatrixWorld();
  }
}
