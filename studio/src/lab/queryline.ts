// A scene as lines of `superegg query`: one distance query a pair.

import type { Body, Scene } from '../protocol/messages';

/** The body as the command line reads it: without what only the studio knows. */
export function queryBody(body: Body): Record<string, unknown> {
  const { id: _id, name: _name, keys: _keys, ...fields } = body;
  return fields;
}

export function queryLine(scene: Scene, a: Body, b: Body): string {
  const { method, tolerance } = scene.solver;
  return JSON.stringify({ query: 'distance', a: queryBody(a), b: queryBody(b), options: { method, tolerance } });
}

/** Every pair, in the order of the scene. */
export function queryLines(scene: Scene): string {
  const lines = scene.bodies.flatMap((a, index) => scene.bodies.slice(index + 1).map((b) => queryLine(scene, a, b)));
  return lines.join('\n');
}
