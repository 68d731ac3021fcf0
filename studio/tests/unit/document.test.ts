import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import { difference } from '../../src/apps/lab/difference';
import type { Edit, Scene } from '../../src/apps/lab/messages';
import { queryLine, queryLines } from '../../src/apps/lab/queryline';
import { freeName, hashOf } from '../../src/document/files';
import { History } from '../../src/document/history';
import { fromFile, toFile } from '../../src/document/storage';
import { Sync } from '../../src/link/sync';
import type { Body } from '../../src/shapes/body';
import { FORMS, hulls, joined, KINDS, newBody, resized, scaled, sizeOf, sizes, sound, takenApart } from '../../src/shapes/forms';
import { trefoil } from '../../src/shapes/knot';
import { placeAt, sceneAt, withKey, withoutKey } from '../../src/shapes/motion';

function ball(id: number, x = 0): Body {
  return { id, name: `ball ${id}`, type: 'superellipsoid', radii: [1, 1, 1], exponents: [1, 1], position: [x, 0, 0], orientation: [0, 0, 0, 1] };
}

const scene: Scene = { name: 'two', bodies: [ball(1), ball(2, 3)], solver: { method: 'default', tolerance: 1e-9 }, duration: 2 };

function kinds(from: Scene | null, to: Scene): string[] {
  return difference(from, to).map((edit) => Object.keys(edit)[0] ?? '');
}

/** A session that takes all; what is said to it goes into `said`. */
function following(wanted: () => Scene, said: string[], edits: Edit[] = [], isUp = () => true): Sync<Scene, Edit> {
  return new Sync<Scene, Edit>({
    wanted,
    difference,
    files: (document) => new Map(Object.entries(document.files ?? {})),
    edit: (_revision, edit) => {
      if (!isUp()) return false;
      said.push(Object.keys(edit)[0] ?? '');
      edits.push(edit);
      return true;
    },
    upload: (name) => said.push(name) > 0,
  });
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
    expect(edit).toMatchObject({ move: { placements: [{ id: 1 }, { id: 2 }] } });
  });
});

describe('the server is kept equal to the document', () => {
  it('by one batch at a time, ending with the newest state', () => {
    let present = scene;
    const sent: Edit[] = [];
    const sync = following(() => present, [], sent);
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
    const said: string[] = [];
    let up = true;
    const sync = following(() => scene, said, [], () => up);
    sync.restart();
    up = false;
    sync.restart();
    up = true;
    sync.restart();
    expect(said).toEqual(['set_scene', 'set_scene']);
  });
});

describe('files of meshes', () => {
  const files = { 'hand.stl': 'one' };
  const withMesh: Scene = { ...scene, files, bodies: [...scene.bodies, { id: 3, name: 'hand', type: 'mesh', file: 'hand.stl', position: [0, 0, 0], orientation: [0, 0, 0, 1] }] };

  it('go to the server before the bodies that need them, and once', () => {
    let present: Scene = scene;
    const said: string[] = [];
    const sync = following(() => present, said);
    sync.restart();
    sync.computed(1);
    present = withMesh;
    sync.flush();
    // Another table of files is another scene.
    expect(said).toEqual(['set_scene', 'hand.stl', 'set_scene']);
    sync.computed(2);
    present = { ...withMesh, solver: { method: 'sqp', tolerance: 1 } };
    sync.flush();
    expect(said).toEqual(['set_scene', 'hand.stl', 'set_scene', 'set_solver']);
    // A new connection has nothing; a server that gave one up gets it again.
    sync.restart();
    expect(said.slice(4)).toEqual(['hand.stl', 'set_scene']);
    sync.computed(4);
    sync.holds([]);
    present = withMesh;
    sync.flush();
    expect(said.slice(6)).toEqual(['hand.stl', 'set_solver']);
    // The same name with another content goes there again.
    sync.computed(9);
    present = { ...withMesh, files: { 'hand.stl': 'other' } };
    sync.flush();
    expect(said.slice(8)).toEqual(['hand.stl', 'set_scene']);
  });

  it('are told apart by their contents, not by their names', () => {
    const hashes = new Set<string>();
    for (let k = 0; k < 2000; k++) hashes.add(hashOf(new Uint8Array([k & 255, k >> 8, 7])));
    for (let length = 0; length < 200; length++) hashes.add(hashOf(new Uint8Array(length)));
    expect(hashes.size).toBe(2200);
    expect(hashOf(new Uint8Array([1, 2, 3]))).toBe(hashOf(Uint8Array.from([1, 2, 3])));
    expect(freeName('hand.stl', (name) => name !== 'hand.stl')).toBe('hand-2.stl');
    expect(freeName('noend', (name) => name !== 'noend')).toBe('noend-2');
  });

  it('are saved with their scene and come back', () => {
    const content = Uint8Array.from({ length: 20_000 }, (_, k) => k % 251);
    const text = toFile('contact-lab', withMesh, new Map([['hand.stl', content]]));
    const read = fromFile(text);
    expect(read.app).toBe('contact-lab');
    expect(read.document).toEqual(withMesh);
    expect(read.files.get('hand.stl')).toEqual(content);
    expect(() => fromFile(text.replace(/"hand.stl": "[^"]{100,}"/, '"hand.stl": 7'))).toThrow('hand.stl');
  });

  it('hold a closed knot as an example', async () => {
    const text = await trefoil().text();
    const faces = text.split('\n').filter((line) => line.startsWith('f ')).map((line) => line.split(' ').slice(1).map(Number));
    const edges = new Map<string, number>();
    for (const face of faces) {
      for (const [k, from] of face.entries()) {
        const to = face[(k + 1) % face.length] ?? 0;
        edges.set(`${from} ${to}`, (edges.get(`${from} ${to}`) ?? 0) + 1);
      }
    }
    // Every edge once in each direction: closed, and all faces turned alike.
    for (const [edge, count] of edges) {
      expect(count).toBe(1);
      expect(edges.get(edge.split(' ').reverse().join(' '))).toBe(1);
    }
    // Outward: the volume is positive.
    const vertices = text.split('\n').filter((line) => line.startsWith('v ')).map((line) => line.split(' ').slice(1).map(Number));
    const at = (index: number | undefined) => new Vector3(...(vertices[(index ?? 1) - 1] as [number, number, number]));
    const volume = faces.reduce((sum, [a, b, c, d]) => sum + at(a).dot(at(b).cross(at(c))) + at(a).dot(at(c).cross(at(d))), 0) / 6;
    expect(volume).toBeGreaterThan(1);
  });
});

describe('forms', () => {
  const [a, b] = [ball(1), { ...ball(2, 3), orientation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] as [number, number, number, number] }];

  it('are joined to a compound that fills the same space, and taken apart again', () => {
    const turned: Body = { ...a, position: [1, 2, 3], orientation: [0.5, 0.5, 0.5, 0.5] };
    const compound = joined(turned, [b]);
    expect(compound).toMatchObject({ id: 1, type: 'compound', position: [1, 2, 3] });
    expect(compound.parts).toHaveLength(2);
    const [first, second] = takenApart(compound, 7);
    expect(first?.id).toBe(1);
    expect(second?.id).toBe(7);
    for (const [found, wanted] of [[first, turned], [second, b]] as const) {
      expect(found?.radii).toEqual(wanted.radii);
      for (const axis of [0, 1, 2] as const) expect(found?.position[axis]).toBeCloseTo(wanted.position[axis], 12);
      for (const part of [0, 1, 2, 3] as const) expect(found?.orientation[part]).toBeCloseTo(wanted.orientation[part], 12);
    }
    expect(joined(compound, [ball(5)]).parts).toHaveLength(3);
  });

  it('are scaled with all their lengths and stay within their domain', () => {
    const bowls = newBody(1, 'superhyperboloid2', 0);
    const grown = scaled(bowls, 2);
    expect([grown.radii?.[2], grown.height]).toEqual([1, 2.4]);
    expect(sound({ ...bowls, radii: [1, 1, 3] }).height).toBeGreaterThan(3);
    const double = scaled(newBody(1, 'compound', 0), 2);
    expect(double.parts?.[0]?.position[0]).toBeCloseTo(-1.6);
    expect(scaled(newBody(1, 'segment', 0), 3).points?.[1]).toEqual([2.0999999999999996, 0, 0]);
    expect(scaled(ball(1), 1e9).radii).toEqual([10, 10, 10]);
  });

  it('have a slider for every length of a primitive, within its range', () => {
    const labels = (type: Body['type']) => sizes(newBody(1, type, 0)).map(({ label }) => label);
    expect(labels('box')).toEqual(['Width', 'Depth', 'Height', 'Rounding']);
    expect(labels('sphere')).toEqual(['Radius']);
    expect(labels('cylinder')).toEqual(['Radius', 'Height', 'Rounding']);
    expect(labels('cone')).toEqual(['Radius', 'Height', 'Rounding']);
    expect(labels('capsule')).toEqual(['Radius', 'Height']);
    expect(labels('frustum')).toEqual(['Bottom', 'Top', 'Height', 'Rounding']);
    expect(labels('hull')).toEqual(['Rounding']);
    expect(labels('superellipsoid')).toEqual([]);
    for (const type of Object.keys(KINDS) as Body['type'][]) {
      const body = newBody(1, type, 0);
      for (const size of sizes(body)) {
        expect(sizeOf(resized(body, size, 1.25), size)).toBe(1.25);
        // Nothing else changes, and nothing leaves its range.
        for (const other of sizes(body).filter((one) => one.label !== size.label)) expect(sizeOf(resized(body, size, 1.25), other)).toBe(sizeOf(body, other));
        expect(sizeOf(resized(body, size, -3), size)).toBe(size.least);
        expect(sizeOf(resized(body, size, 1e9), size)).toBe(10);
        // A handle ends where the rounded body does.
        const [from, to] = [size.from[size.axis], size.to[size.axis]];
        expect(Math.abs(to - from)).toBeGreaterThanOrEqual(sizeOf(body, size));
      }
    }
    // One end of a frustum may be a tip, not both.
    const frustum = newBody(1, 'frustum', 0);
    const [bottom, top] = sizes(frustum);
    const cone = top ? resized(frustum, top, 0) : frustum;
    expect(cone.end_radii).toEqual([0.7, 0]);
    expect(bottom?.least).toBe(0);
    expect(sizes(cone)[0]?.least).toBeGreaterThan(0);
  });

  it('of flat faces are scaled with their rounding, and what is sharp stays sharp', () => {
    expect(scaled({ ...newBody(1, 'box', 0), rounding: 0.1 }, 2)).toMatchObject({ half_extents: [1.4, 1.2, 1], rounding: 0.2 });
    expect(scaled(newBody(1, 'cone', 0), 0.5)).toMatchObject({ radius: 0.3, half_height: 0.35, rounding: 0 });
    expect(scaled({ ...newBody(1, 'frustum', 0), end_radii: [1, 0] }, 2)).toMatchObject({ end_radii: [2, 0], half_height: 1.2 });
    expect(scaled(newBody(1, 'hull', 0), 2).points?.[0]).toEqual([-1.6, -1.2, -0.8]);
    const pair = joined(newBody(1, 'box', 0), [newBody(2, 'hull', 1)]);
    expect(scaled(pair, 2).parts?.[0]).toMatchObject({ type: 'box', half_extents: [1.4, 1.2, 1] });
    expect(takenApart(pair, 2).map((body) => body.type)).toEqual(['box', 'hull']);
  });

  it('show points and segments of a compound where they are', () => {
    const parts = [{ type: 'point' as const, position: [0, 0, 2] as [number, number, number], orientation: [0, 0, 0, 1] as [number, number, number, number] }];
    expect(hulls({ id: 1, name: '', type: 'compound', parts, position: [9, 9, 9], orientation: [0, 0, 0, 1] })).toEqual([[[0, 0, 2]]]);
    expect(hulls(ball(1))).toEqual([]);
    for (const { forms } of FORMS) {
      for (const { type } of forms) expect(newBody(1, type, 2).type).toBe(type);
    }
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
    expect(fromFile(toFile('contact-lab', scene)).document).toEqual(scene);
    // Files from before there were other apps.
    const old = JSON.stringify({ format: 'superegg-scene', version: 1, scene, meshes: { 'a.obj': btoa('v') } });
    expect(fromFile(old)).toEqual({ app: 'contact-lab', document: scene, files: new Map([['a.obj', Uint8Array.from([118])]]) });
  });

  it('are refused in words', () => {
    expect(() => fromFile('{}')).toThrow('not a scene');
    expect(() => fromFile(toFile('contact-lab', scene).replace('"version": 2', '"version": 99'))).toThrow('version 99');
    expect(() => fromFile('{"format":"superegg-scene","version":1,"scene":3}')).toThrow('damaged');
    expect(() => fromFile('no json')).toThrow();
  });
});
