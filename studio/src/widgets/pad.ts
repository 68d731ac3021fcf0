// The drawing of the parameter widget (paper 001, section 4.3): a grid over ]0, 2[ × ]0, 2[ of little bodies, each with
// the exponents of its place and in the body's own orientation as the stage sees it, and the body itself as the cursor.

import {
  AmbientLight, Color, DirectionalLight, type BufferGeometry, Group, Mesh, MeshLambertMaterial, OrthographicCamera, Quaternion,
  Scene as Space,
} from 'three';

import type { Frame } from '../link/geometry';
import { geometryOf } from '../shapes/bodies';
import { paint } from '../stage/paint';

/** Rows and columns. */
export const GRID = 5;

export class PadView {
  private readonly space = new Space();
  private readonly camera = new OrthographicCamera(0, 2, 2, 0, -10, 10);
  private readonly previews = new Group();
  private readonly dull = new MeshLambertMaterial({ color: '#9aa3b0' });
  private readonly bright = new MeshLambertMaterial({ color: '#f0a330', emissive: new Color('#3a2200') });
  private readonly cursor = new Mesh<BufferGeometry, MeshLambertMaterial>(undefined, this.bright);
  private reach = 1;
  private seen = '';
  /** Counts the previews that came, so that new ones are drawn. */
  private received = 0;

  /** Asking the canvas itself would make the browser lay out the page at every frame. */
  private box = { width: 0, height: 0 };
  private readonly observer: ResizeObserver;

  constructor(private readonly canvas: HTMLCanvasElement, onResize: () => void) {
    this.observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      this.box = { width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) };
      onResize();
    });
    this.observer.observe(canvas);
    const light = new DirectionalLight('#ffffff', 2.2);
    light.position.set(-1, 2, 3);
    this.space.add(this.previews, this.cursor, light, new AmbientLight('#ffffff', 1.1));
    this.cursor.visible = false;
  }

  /** The little bodies, row by row from the lowest e2. */
  showPreview(frame: Frame): void {
    if (frame.index === 0) {
      for (const child of this.previews.children) (child as Mesh).geometry.dispose();
      this.previews.clear();
    }
    const mesh = new Mesh(geometryOf(frame), this.dull);
    const cell = 2 / GRID;
    mesh.position.set(((frame.index % GRID) + 0.5) * cell, (Math.floor(frame.index / GRID) + 0.5) * cell, -5);
    this.reach = Math.max(frame.index === 0 ? 0 : this.reach, mesh.geometry.boundingSphere?.radius ?? 0);
    this.previews.add(mesh);
    this.received += 1;
  }

  /** Draws everything in this orientation, relative to the viewer. */
  draw(facing: Quaternion, body: BufferGeometry | null, exponents: [number, number], colours: { dull: string; bright: string }): void {
    const { width, height } = this.box;
    if (width === 0) return;
    // The stage draws more often than anything changes here.
    const seen = `${facing.toArray().map((part) => part.toFixed(4)).join()} ${body?.uuid ?? ''} ${exponents.join()} ${colours.dull} ${this.previews.children.length} ${this.received} ${width}`;
    if (seen === this.seen) return;
    this.seen = seen;
    this.dull.color.set(colours.dull);
    this.bright.color.set(colours.bright);
    for (const mesh of this.previews.children) {
      mesh.quaternion.copy(facing);
      mesh.scale.setScalar((0.47 * 2) / GRID / this.reach);
    }
    this.cursor.visible = body !== null;
    if (body) {
      this.cursor.geometry = body;
      this.cursor.quaternion.copy(facing);
      this.cursor.position.set(exponents[0], exponents[1], 3);
      this.cursor.scale.setScalar((0.62 * 2) / GRID / (body.boundingSphere?.radius ?? 1));
    }
    paint(this.space, this.camera, this.canvas, width, height);
  }

  dispose(): void {
    this.observer.disconnect();
    for (const child of this.previews.children) (child as Mesh).geometry.dispose();
    for (const material of [this.dull, this.bright]) material.dispose();
  }
}
