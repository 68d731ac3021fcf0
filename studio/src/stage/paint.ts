// Small pictures in the page, drawn by one renderer for all of them: every widget with a context of its own would cost one of
// the few that a browser gives, and the stage would be lost after some sixteen.

import { type Camera, type Scene, WebGLRenderer } from 'three';

let renderer: WebGLRenderer | null = null;
let size = '';

/** Draws a scene into a canvas of these pixels. */
export function paint(scene: Scene, camera: Camera, into: HTMLCanvasElement, width: number, height: number): void {
  const ratio = Math.min(window.devicePixelRatio, 2);
  renderer ??= new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  // Setting a size makes a new buffer, so only a new size is set.
  const wanted = `${width} ${height} ${ratio}`;
  if (wanted !== size) {
    size = wanted;
    renderer.setPixelRatio(ratio);
    renderer.setSize(width, height, false);
  }
  renderer.render(scene, camera);
  const { domElement } = renderer;
  if (into.width !== domElement.width || into.height !== domElement.height) {
    into.width = domElement.width;
    into.height = domElement.height;
  }
  const context = into.getContext('2d');
  context?.clearRect(0, 0, into.width, into.height);
  context?.drawImage(domElement, 0, 0);
}
