import { describe, expect, it } from 'vitest';

import { History } from '../../src/lab/history';
import { placeAt, sceneAt, withKey, withoutKey } from '../../src/lab/motion';
import { queryLine, queryLines } from '../../src/lab/queryline';
import { fromFile, toFile } from '../../src/lab/storage';
import { difference, Sync } from '../../src/lab/sync';
import type { Body, ClientMessage, Scene } from '../../src/protocol/messages';

function ball(id: number, x = 0): Body {
  return { id, name: `ball ${id}`, type: 'superellipsoid', radii: [1, 1, 1], exponents: [1, 1], position: [x, 0, 0], orientation: [0, 0, 0, 1] };
}

const scene: Scene = { name: 'two', bodies: [ball(1), ball(2, 3)], solver: { method: 'default', tolerance: 1e-9 }, duration: 2 };

function kinds(from: Scene | null, to: Scene): string[] {
  return difference(from, to).map((edit) => Object.keys(edit(0))[0] ?? '');
}

describe('the difference of two scenes', () => {
  const [a, b] = scene.bodies as [Body, Body];

  it('is the smallest set of edits', () => {
    expect(kinds(scene, scene)).toEqual([]);
    expect(kinds(null, scene)).toEqual(['set_scene']);
    expect(kinds(scene, { ...scene, bodies: [a, { ...b, position: [4, 0, 0] }] })).toEqual(['move']);
    expect(kinds(scene, { ...scene, bodies: [a, { ...b, exponents: [0.5, 1] }] })).toEqual(['set_body']);
    expect(kinds(scene, { ...scene, bodies: [b] })).toEqual(['remove']);
    expect(kinds(scene, { ...scene, bodies: [a, b, ball(3)] })).toEqual(['set_body']);
    expect(kinds(scene, { ...scene, solver: { method: 'sqp', tolerance: 1 } })).toEqual(['set_solver']);
    expect(kinds(scene, { ...scene, duration: 3 })).toEqual(['set_scene']);
    expect(kinds(scene, { ...scene, bodies: [b, a] })).toEqual(['set_scene']);
  });

  it('puts all moves into one message', () => {
    const moved = { ...scene, bodies: scene.bodies.map((body) => ({ ...body, position: [9, 9, 9] as [number, number, number] })) };
    const [edit] = difference(scene, moved);
    expect(edit?.(5)).toMatchObject({ move: { revision: 5, placements: [{ id: 1 }, { id: 2 }] } });
  });
});

describe('the server is kept equal to the document', () => {
  it('by one batch at a time, ending with the newest state', () => {
    let present = scene;
    const sent: ClientMessage[] = [];
    const sync = new Sync((message) => (sent.push(message), true), () => present);
    sync.restart();
    expect(sent).toHaveLength(1);
    // A fast drag: nothing more is said until the first edit is answered.
    for (let x = 0; x < 50; x++) {
      present = { ...present, bodies: [ball(1), { ...ball(2), position: [x, 0, 0] }] };
      sync.flush();
    }
    expect(sent).toHaveLength(1);
    expect(sync.computed(1)).toBe(false);
    const last = sent.at(-1);
    expect(JSON.stringify(last)).toContain('"position":[49,0,0]');
    expect(sync.computed(3)).toBe(true);
    expect(sync.accepted).toBe(present);
  });

  it('from the beginning after a lost connection', () => {
    const sent: ClientMessage[] = [];
    let up = true;
    const sync = new Sync((message) => up && sent.push(message) > 0, () => scene);
    sync.restart();
    up = false;
    sync.restart();
    up = true;
    sync.restart();
    expect(sent.map((message) => Object.keys(message)[0])).toEqual(['set_scene', 'set_scene']);
  });
});

describe('history', () => {
  it('goes back and forth and forgets what was undone after a change', () => {
    const history = new History<number>(3);
    for (const state of [0, 1, 2, 3]) history.push(state);
    expect(history.undo(4)).toBe(3);
    expect(history.undo(3)).toBe(2);
    expect(history.redo(2)).toBe(3);
    history.push(3);
    expect(history.canRedo).toBe(false);
    expect([history.undo(9), history.undo(3), history.undo(2), history.undo(1)]).toEqual([3, 2, 1, null]);
  });
});

describe('motion', () => {
  const quarter = Math.SQRT1_2;
  const moving: Body = {
    ...ball(1, 7),
    keys: [
      { time: 1, position: [0, 0, 0], orientation: [0, 0, 0, 1] },
      { time: 3, position: [2, 0, 0], orientation: [0, 0, quarter, quarter] },
    ],
  };

  it('passes through its keys and rests beyond them', () => {
    expect(placeAt(moving, 0).position).toEqual([0, 0, 0]);
    expect(placeAt(moving, 9).position).toEqual([2, 0, 0]);
    expect(placeAt(moving, 2).position).toEqual([1, 0, 0]);
    expect(placeAt(moving, 2).orientation[2]).toBeCloseTo(Math.sin(Math.PI / 8), 12);
    expect(placeAt(ball(2, 5), 1).position).toEqual([5, 0, 0]);
  });

  it('leaves resting scenes as they are', () => {
    expect(sceneAt(scene, 1)).toBe(scene);
  });

  it('keeps keys in order and one to a time', () => {
    const more = withKey(withKey(moving, 2), 2.001);
    expect(more.keys?.map((key) => key.time)).toEqual([1, 2.001, 3]);
    expect(withoutKey(withoutKey(moving, 1), 3).keys).toBeUndefined();
  });
});

describe('query lines', () => {
  it('hold what the command line knows, and nothing else', () => {
    const [a, b] = scene.bodies as [Body, Body];
    const line = JSON.parse(queryLine(scene, { ...a, keys: [] }, b)) as { a: object; options: object };
    expect(Object.keys(line.a).sort()).toEqual(['exponents', 'orientation', 'position', 'radii', 'type']);
    expect(line.options).toEqual({ method: 'default', tolerance: 1e-9 });
    expect(queryLines({ ...scene, bodies: [a, b, ball(3)] }).split('\n')).toHaveLength(3);
  });
});

describe('files', () => {
  it('come back as they were', () => {
    expect(fromFile(toFile(scene))).toEqual(scene);
  });

  it('are refused in words', () => {
    expect(() => fromFile('{}')).toThrow('not a scene');
    expect(() => fromFile(toFile(scene).replace('"version": 1', '"version": 99'))).toThrow('version 99');
    expect(() => fromFile('{"format":"superegg-scene","version":1,"scene":{"name":3}}')).toThrow('damaged');
    expect(() => fromFile('no json')).toThrow();
  });
});
