// A body's place along its keys: positions change evenly, rotations take the shorter way round; before the first and
// after the last key the body stays. The server's plots use the same rule.

import { Quaternion, Vector3 } from 'three';

import type { Body, Key } from './body';

/** Anything with bodies that may move. */
export interface Moving {
  bodies: Body[];
}

export interface Place {
  position: [number, number, number];
  orientation: [number, number, number, number];
}

export function placeAt(body: Body, time: number): Place {
  const keys = body.keys ?? [];
  const after = keys.findIndex((key) => key.time > time);
  const next = after < 0 ? undefined : keys[after];
  const before = after < 0 ? keys.at(-1) : keys[after - 1];
  if (!before && !next) return { position: body.position, orientation: body.orientation };
  if (!before || !next) {
    const key = (before ?? next) as Key;
    return { position: key.position, orientation: key.orientation };
  }
  const part = (time - before.time) / (next.time - before.time);
  const position = new Vector3(...before.position).lerp(new Vector3(...next.position), part).toArray();
  const from = new Quaternion(...before.orientation).normalize();
  const to = new Quaternion(...next.orientation).normalize();
  const { x, y, z, w } = from.slerp(to, part);
  return { position, orientation: [x, y, z, w] };
}

/** The scene at a time of its motion. */
export function sceneAt<S extends Moving>(scene: S, time: number): S {
  if (!moves(scene)) return scene;
  const bodies = scene.bodies.map((body) => (body.keys?.length ? { ...body, ...placeAt(body, time) } : body));
  return { ...scene, bodies };
}

export function moves(scene: Moving): boolean {
  return scene.bodies.some((body) => (body.keys?.length ?? 0) > 0);
}

/** The keys with the body's present place at this time; a key closer than a hundredth of a second is replaced. */
export function withKey(body: Body, time: number): Body {
  const others = (body.keys ?? []).filter((key) => Math.abs(key.time - time) >= 0.01);
  const keys = [...others, { time, position: body.position, orientation: body.orientation }];
  keys.sort((a, b) => a.time - b.time);
  return { ...body, keys };
}

export function withoutKey(body: Body, time: number): Body {
  const keys = (body.keys ?? []).filter((key) => Math.abs(key.time - time) >= 0.01);
  const { keys: _old, ...rest } = body;
  return keys.length > 0 ? { ...rest, keys } : rest;
}
