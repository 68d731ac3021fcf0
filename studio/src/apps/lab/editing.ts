// What people do to the bodies of a scene: add, join, take apart, copy and remove them.

import { batch } from '@preact/signals';

import { freeName } from '../../document/files';
import type { Body, ShapeType } from '../../shapes/body';
import { canJoin, joined, newBody, takenApart } from '../../shapes/forms';
import type { Store } from './store';

function freeId(store: Store): number {
  return 1 + store.scene.peek().bodies.reduce((most, body) => Math.max(most, body.id), 0);
}

function hasRoom(store: Store, wanted = 1): boolean {
  const most = store.welcome.peek()?.limits.bodies ?? 0;
  const room = store.scene.peek().bodies.length + wanted <= most;
  if (!room) store.say(`A scene holds at most ${most} bodies.`, 'error');
  return room;
}

function find(store: Store, id: number): Body | undefined {
  return store.scene.peek().bodies.find((body) => body.id === id);
}

/** Puts one more body into the scene and selects it. */
function insert(store: Store, body: Body, files?: Record<string, string>): void {
  store.change((scene) => ({ ...scene, bodies: [...scene.bodies, body], ...(files ? { files: { ...scene.files, ...files } } : {}) }), 'Add');
  store.select(body.id);
}

export function addBody(store: Store, type: ShapeType): void {
  if (hasRoom(store)) insert(store, newBody(freeId(store), type, store.scene.peek().bodies.length));
}

/** Adds the mesh of a file, unless it is refused. */
export async function addMesh(store: Store, file: File): Promise<void> {
  const most = store.link.limits.peek()?.file_bytes ?? 0;
  if (!hasRoom(store)) return;
  if (file.size > most) {
    store.say(`${file.name} is larger than ${Math.floor(most / 1e6)} MB.`, 'error');
    return;
  }
  const content = new Uint8Array(await file.arrayBuffer());
  const hash = store.files.add(content);
  // Another file of the same name in this scene keeps its name.
  const name = freeName(file.name, (other) => (store.scene.peek().files?.[other] ?? hash) === hash);
  if (!(await store.upload(name, content))) return;
  store.uploaded(name, hash);
  const body = newBody(freeId(store), 'mesh', store.scene.peek().bodies.length);
  insert(store, { ...body, name: name.replace(/\.[^.]*$/, ''), file: name }, { [name]: hash });
}

/** Makes one compound of a body and the one it is closest to. */
export function joinNearest(store: Store, id: number): void {
  const contact = store.contact.peek();
  const first = find(store, id);
  const other = contact ? find(store, contact.a === id ? contact.b : contact.a) : undefined;
  if (!first || !other) return;
  const unfit = [first, other].find((body) => !canJoin(body));
  if (unfit) {
    store.say(`${unfit.name} cannot be part of a compound.`, 'error');
    return;
  }
  batch(() => {
    store.focus.value = null;
    store.change((scene) => ({
      ...scene,
      bodies: scene.bodies.filter((body) => body.id !== other.id).map((body) => (body.id === first.id ? joined(first, [other]) : body)),
    }), 'Join');
  });
}

export function takeApart(store: Store, id: number): void {
  const body = find(store, id);
  const parts = body?.parts?.length ?? 0;
  if (!body || parts === 0 || !hasRoom(store, parts - 1)) return;
  const apart = takenApart(body, freeId(store));
  store.change((scene) => ({ ...scene, bodies: scene.bodies.flatMap((other) => (other.id === body.id ? apart : [other])) }), 'Take apart');
}

export function duplicate(store: Store, id: number): void {
  const body = find(store, id);
  if (!body || !hasRoom(store)) return;
  const [x, y, z] = body.position;
  const { keys: _keys, ...rest } = body;
  insert(store, { ...rest, id: freeId(store), name: `${body.name} copy`, position: [x + 0.6, y + 0.6, z] });
}

export function removeBodies(store: Store, ids: number[]): void {
  batch(() => {
    if (ids.some((id) => store.isSelected(id))) store.select(null);
    if (store.focus.peek()?.some((id) => ids.includes(id))) store.focus.value = null;
    store.change((scene) => ({ ...scene, bodies: scene.bodies.filter((body) => !ids.includes(body.id)) }), 'Remove');
  });
}
