// The edits that turn one scene into another.

import type { Body } from '../../shapes/body';
import type { Edit, Placement, Scene } from './messages';

/** The edits that turn one scene into another; bodies are compared by identity, as documents are immutable. */
export function difference(from: Scene | null, to: Scene): Edit[] {
  if (from === to) return [];
  const whole: Edit = { set_scene: { scene: to } };
  if (!from || from.name !== to.name || from.duration !== to.duration || from.about !== to.about || from.files !== to.files) return [whole];
  const edits: Edit[] = [];
  const before = new Map(from.bodies.map((body) => [body.id, body]));
  const after = new Map(to.bodies.map((body) => [body.id, body]));
  for (const id of before.keys()) {
    if (!after.has(id)) edits.push({ remove: { id } });
  }
  const placements: Placement[] = [];
  for (const body of to.bodies) {
    const old = before.get(body.id);
    if (old === body) continue;
    if (old && sameButPlace(old, body)) placements.push({ id: body.id, position: body.position, orientation: body.orientation });
    else edits.push({ set_body: { body } });
  }
  if (placements.length > 0) edits.push({ move: { placements } });
  if (from.solver !== to.solver) edits.push({ set_solver: { solver: to.solver } });
  // New bodies go to the end; any other order needs the whole scene.
  const kept = from.bodies.filter((body) => after.has(body.id)).map((body) => body.id);
  const added = to.bodies.filter((body) => !before.has(body.id)).map((body) => body.id);
  const reached = [...kept, ...added];
  return to.bodies.every((body, index) => body.id === reached[index]) ? edits : [whole];
}

function sameButPlace(a: Body, b: Body): boolean {
  const { position: _p, orientation: _o, ...rest } = a;
  const { position: _q, orientation: _r, ...others } = b;
  const names = new Set([...Object.keys(rest), ...Object.keys(others)]);
  for (const name of names) {
    if (rest[name as keyof typeof rest] !== others[name as keyof typeof others]) return false;
  }
  return true;
}
