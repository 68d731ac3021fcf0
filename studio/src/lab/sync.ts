// Keeps the server's world equal to the document. One batch of edits is under way at a time; what changes meanwhile goes
// with the next one, so a fast drag never queues up, and the last state always arrives.

import type { Body, ClientMessage, Placement, Scene } from '../protocol/messages';
import { filesOf } from './meshes';

type Edit = (revision: number) => ClientMessage;

/** The edits that turn one scene into another; bodies are compared by identity, as documents are immutable. */
export function difference(from: Scene | null, to: Scene): Edit[] {
  if (from === to) return [];
  const whole: Edit = (revision) => ({ set_scene: { revision, scene: to } });
  if (!from || from.name !== to.name || from.duration !== to.duration || from.about !== to.about) return [whole];
  const edits: Edit[] = [];
  const before = new Map(from.bodies.map((body) => [body.id, body]));
  const after = new Map(to.bodies.map((body) => [body.id, body]));
  for (const id of before.keys()) {
    if (!after.has(id)) edits.push((revision) => ({ remove: { revision, id } }));
  }
  const placements: Placement[] = [];
  for (const body of to.bodies) {
    const old = before.get(body.id);
    if (old === body) continue;
    if (old && sameButPlace(old, body)) placements.push({ id: body.id, position: body.position, orientation: body.orientation });
    else edits.push((revision) => ({ set_body: { revision, body } }));
  }
  if (placements.length > 0) edits.push((revision) => ({ move: { revision, placements } }));
  if (from.solver !== to.solver) edits.push((revision) => ({ set_solver: { revision, solver: to.solver } }));
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

export class Sync {
  /** What the server has, or will have when the edits under way arrive. */
  private sent: Scene | null = null;
  private underWay: { revision: number; scene: Scene } | null = null;
  private revision = 0;
  /** The last scene that the server computed. */
  accepted: Scene | null = null;
  /** The files of meshes that the server has. */
  private held = new Set<string>();

  constructor(
    private readonly send: (message: ClientMessage) => boolean,
    private readonly wanted: () => Scene,
    /** Sends the file of a mesh; false when that is not possible. */
    private readonly upload: (file: string) => boolean,
  ) {}

  /** The server said which files it has. */
  holds(files: string[]): void {
    this.held = new Set(files);
  }

  /** After a welcome: the server's world is empty. */
  restart(): void {
    this.held.clear();
    this.sent = null;
    this.underWay = null;
    this.flush();
  }

  /** Sends what has changed, unless edits are under way already. Returns whether the server has computed it all. */
  flush(): boolean {
    if (this.underWay) return false;
    const scene = this.wanted();
    const edits = difference(this.sent, scene);
    for (const file of edits.length > 0 ? filesOf(scene) : []) {
      if (!this.held.has(file) && this.upload(file)) this.held.add(file);
    }
    for (const edit of edits) {
      this.revision += 1;
      if (!this.send(edit(this.revision))) return false;
    }
    this.sent = scene;
    if (edits.length > 0) this.underWay = { revision: this.revision, scene };
    return edits.length === 0;
  }

  /** The server computed this revision. Returns whether the document has not changed since it was sent. */
  computed(revision: number): boolean {
    if (this.underWay && revision >= this.underWay.revision) {
      this.accepted = this.underWay.scene;
      this.underWay = null;
    }
    return this.flush();
  }

  /** The server refused an edit: its world is no longer known. */
  refused(): void {
    this.held.clear();
    this.sent = null;
    this.underWay = null;
  }
}
