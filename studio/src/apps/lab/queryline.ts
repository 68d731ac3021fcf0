// A scene as lines of `superegg query`: one distance query a pair.

import type { Body } from '../../shapes/body';
import type { Scene } from './messages';

/** The body as the command line reads it: without what only the studio knows. */
export function queryBody(body: Body): Record<string, unknown> {
  const { id: _id, name: _name, keys: _keys, colour: _colour, hidden: _hidden, locked: _locked, ...fields } = body;
  return fields;
}

export function queryLine(scene: Scene, a: Body, b: Body): string {
  const { method, tolerance } = scene.solver;
  return JSON.stringify({ query: 'distance', a: queryBody(a), b: queryBody(b), options: { method, tolerance } });
}

/** Every pair, in the order of the scene. */
export function queryLines(scene: Scene): string {
  const shown = scene.bodies.filter((body) => !body.hidden);
  const lines = shown.flatMap((a, index) => shown.slice(index + 1).map((b) => queryLine(scene, a, b)));
  return lines.join('\n');
}
