// Terrain Cloth in a real browser: whole stories by mouse and by touch, in wide and phone-sized windows. Files are read by other
// programs' readers.

import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

import type { Page } from 'playwright-core';
import { BufferGeometry, Mesh } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import { describe, expect, it } from 'vitest';

import type { Hill, Landscape } from '../../src/apps/terrain/messages';
import { Hand, type Point } from './hand';
import { keep, type Window as Shown, Workshop } from './program';

const workshop = new Workshop();

const WIDE = { viewport: { width: 1000, height: 640 }, colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'light' } as const;

/** A small landscape that settles soon: the stories begin with it. */
const FIRST = {
  name: 'Story', moment: 0,
  hills: [{ id: 1, position: [-0.35, 0.1], radii: [0.24, 0.2, 0.4], exponents: [1, 1.2], turn: 0, lift: 0 }],
  settings: { pins: [], fabric: { stiffness: 0.35, friction: 0.5, thickness: 0.008 }, side: 31, wind: { speed: 0, direction: 0 }, frozen: false, drops: 0, smooths: 0 },
} as const;

async function open(options: Parameters<Workshop['open']>[1]): Promise<Shown> {
  const shown = await workshop.open('#/terrain-cloth', options);
  const { page } = shown;
  await page.waitForFunction(() => (window.terrain?.view.frames ?? 0) > 1 && window.terrain?.store.settled.value === true);
  await page.evaluate((landscape) => {
    window.terrain?.store.open(landscape as unknown as Landscape, false);
  }, FIRST);
  await idle(page);
  return shown;
}

/** Waits until the cloth rests and all is drawn and kept. */
async function idle(page: Page): Promise<void> {
  await page.waitForFunction(() => window.terrain?.idle() === true);
}

function landscape(page: Page): Promise<Landscape> {
  return page.evaluate(() => {
    if (!window.terrain) throw new Error('there is no landscape');
    return window.terrain.store.landscape;
  });
}

async function hill(page: Page, id: number): Promise<Hill> {
  const found = (await landscape(page)).hills.find((other) => other.id === id);
  if (!found) throw new Error(`there is no body ${id}`);
  return found;
}

/** Where a place of the world is on the screen. */
function onScreen(page: Page, at: [number, number, number]): Promise<Point> {
  return page.evaluate(([x, y, z]) => {
    const view = window.terrain?.view;
    const box = document.querySelector('canvas.stage')?.getBoundingClientRect();
    if (!view || !box) throw new Error('there is no stage');
    const found = view.project(view.orbit.target.clone().set(x, y, z));
    return { x: found.x + box.left, y: found.y + box.top };
  }, at);
}

function handleAt(page: Page, kind: 'height' | 'length' | 'width' | 'turn'): Promise<Point> {
  return page.evaluate((which) => {
    const view = window.terrain?.view;
    const at = view?.handles.at(which);
    const box = document.querySelector('canvas.stage')?.getBoundingClientRect();
    if (!view || !at || !box) throw new Error('there are no handles');
    const found = view.project(at);
    return { x: found.x + box.left, y: found.y + box.top };
  }, kind);
}

/** Where the cloth lies. */
function places(page: Page): Promise<number[]> {
  return page.evaluate(() => [...(window.terrain?.store.newest?.positions.get(1) ?? [])]);
}

function apart(a: number[], b: number[]): number {
  expect(a.length).toBe(b.length);
  return Math.max(...a.map((value, k) => Math.abs(value - (b[k] ?? 0))));
}

/** The document and the session's landscape are the same. */
async function equalsServer(page: Page): Promise<void> {
  await page.waitForFunction(() => window.terrain?.store.settled.value === true);
  const [ours, theirs] = await page.evaluate(async () => {
    const store = window.terrain?.store;
    return [JSON.parse(JSON.stringify(store?.landscape)) as unknown, await store?.serverLandscape()];
  });
  expect(theirs).toEqual(ours);
}

async function undoAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    const store = window.terrain?.store;
    while (store?.document.names.value.undo) store.undo();
  });
}

async function exported(page: Page, label: string): Promise<Buffer> {
  await page.getByRole('button', { name: 'File' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: label }).click()]);
  return readFileSync(await download.path());
}

function buffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Sixteen-bit greys of a PNG, by its own rules: chunks, deflate, filters. */
function greys(png: Buffer): { width: number; height: number; values: number[] } {
  const [width, height, depth, colour] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
  expect([depth, colour]).toEqual([16, 0]);
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(data));
  const row = 2 * width;
  let before = new Uint8Array(row);
  const values: number[] = [];
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)] ?? 0;
    const line = new Uint8Array(row);
    for (let x = 0; x < row; x++) {
      const [a, b, c] = [line[x - 2] ?? 0, before[x] ?? 0, before[x - 2] ?? 0];
      const p = a + b - c;
      const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      const add = [0, a, b, (a + b) >> 1, paeth][filter] ?? 0;
      line[x] = (raw[y * (row + 1) + 1 + x] ?? 0) + add;
    }
    for (let x = 0; x < row; x += 2) values.push(256 * (line[x] ?? 0) + (line[x + 1] ?? 0));
    before = line;
  }
  return { width, height, values };
}

describe('Terrain Cloth', () => {
  it('is modelled by mouse, walked on, saved, opened, exported and undone', async () => {
    const shown = await open(WIDE);
    const { page } = shown;
    const hand = await Hand.on(page);
    const folds = await places(page);
    const first = await landscape(page);

    // Make: a double click on the cloth, where no body is.
    const spot = await onScreen(page, [0.4, -0.15, 0.01]);
    await page.mouse.dblclick(spot.x, spot.y);
    await page.waitForFunction(() => window.terrain?.store.landscape.hills.length === 2);
    await idle(page);
    const made = await hill(page, 2);
    expect(Math.hypot(made.position[0] - 0.4, made.position[1] + 0.15)).toBeLessThan(0.05);
    expect(Math.max(...(await places(page)).filter((_, k) => k % 3 === 2))).toBeGreaterThan(0.3);

    // Move.
    const [from, to] = [await onScreen(page, [...made.position, 0.1]), await onScreen(page, [0.5, 0.35, 0.1])];
    await hand.drag(from, to);
    await idle(page);
    const moved = await hill(page, 2);
    expect(Math.hypot(moved.position[0] - 0.5, moved.position[1] - 0.35)).toBeLessThan(0.12);
    await equalsServer(page);

    // Scale: its handles.
    const top = await handleAt(page, 'height');
    await hand.drag(top, { x: top.x, y: top.y - 50 });
    await page.waitForFunction((before) => (window.terrain?.store.hill(2)?.radii[2] ?? 0) > before + 0.03, moved.radii[2]);
    const side = await handleAt(page, 'length');
    const center = await onScreen(page, [...moved.position, 0]);
    await hand.drag(side, { x: side.x + 0.6 * (side.x - center.x), y: side.y + 0.6 * (side.y - center.y) });
    await page.waitForFunction((before) => (window.terrain?.store.hill(2)?.radii[0] ?? 0) > before + 0.03, moved.radii[0]);
    const turn = await handleAt(page, 'turn');
    await hand.drag(turn, { x: turn.x + 40, y: turn.y + 20 });
    await page.waitForFunction((before) => Math.abs((window.terrain?.store.hill(2)?.turn ?? 0) - before) > 0.05, moved.turn);
    await idle(page);
    await shown.picture('terrain-cloth-wide');

    // Exponents: hold the body, then slide.
    const body = await onScreen(page, [...(await hill(page, 2)).position, 0.15]);
    await page.mouse.move(body.x, body.y);
    await page.mouse.down();
    await page.locator('.exponents-held').waitFor();
    await page.mouse.move(body.x - 60, body.y + 50, { steps: 4 });
    await shown.picture('terrain-exponents-wide');
    await page.mouse.up();
    const shaped = await hill(page, 2);
    expect(shaped.exponents[0]).toBeLessThan(0.9);
    expect(shaped.exponents[1]).toBeLessThan(0.95);
    await idle(page);

    // Pull the cloth and hold it: a clothespin stays.
    const empty = await onScreen(page, [-0.1, -0.65, 0.01]);
    await hand.grab(empty, { x: empty.x, y: empty.y - 90 });
    await page.waitForFunction(() => window.terrain?.view.pins.isReady === true);
    await hand.drop({ x: empty.x, y: empty.y - 90 }, { x: empty.x, y: empty.y - 90 }, { steps: 1 });
    await page.waitForFunction(() => window.terrain?.store.landscape.settings.pins.length === 1);
    await idle(page);
    const [pin] = (await landscape(page)).settings.pins;
    expect(pin?.at[2]).toBeGreaterThan(0.15);
    await equalsServer(page);
    await shown.picture('terrain-pin-wide');
    // And is taken off.
    await page.keyboard.press('Delete');
    await page.waitForFunction(() => window.terrain?.store.landscape.settings.pins.length === 0);

    // Orbit, and the other look.
    const azimuth = await page.evaluate(() => window.terrain?.view.orbit.azimuth ?? 0);
    await hand.drag({ x: 300, y: 520 }, { x: 220, y: 500 }, { button: 'right' });
    expect(await page.evaluate(() => window.terrain?.view.orbit.azimuth ?? 0)).toBeGreaterThan(azimuth + 0.3);
    await page.getByRole('radio', { name: 'Terrain' }).click();
    await idle(page);
    expect(await shown.picture('terrain-terrain-wide')).toBeGreaterThan(100);

    // Save, and open what was saved.
    await page.evaluate(() => {
      window.terrain?.store.choose([]);
    });
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
    const file = await download.path();
    const saved = await landscape(page);
    const lies = await places(page);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ app: 'terrain-cloth', document: { name: 'Story', hills: saved.hills } });

    // Export: read by other programs.
    const obj = new OBJLoader().parse((await exported(page, 'Export as OBJ')).toString()).children[0];
    expect(obj instanceof Mesh && (obj.geometry as BufferGeometry).getAttribute('position').count).toBe(3 * 2 * 30 * 30);
    const glb = await new GLTFLoader().parseAsync(buffer(await exported(page, 'Export as GLB')), '');
    const meshes: Mesh[] = [];
    glb.scene.traverse((part) => {
      if (part instanceof Mesh) meshes.push(part as Mesh);
    });
    expect((meshes[0]?.geometry as BufferGeometry).getIndex()?.count).toBe(3 * 2 * 30 * 30);
    const stl = new STLLoader().parse(buffer(await exported(page, 'Export as STL')));
    expect(openEdges(stl)).toBe(0);
    const heights = greys(await exported(page, 'Export as a heightmap'));
    expect([heights.width, heights.height]).toEqual([513, 513]);
    expect(heights.values.reduce((most, value) => Math.max(most, value), 0)).toBe(65535);

    // Undo all of it: the folds are back.
    await undoAll(page);
    await idle(page);
    expect({ ...(await landscape(page)), moment: 0 }).toEqual({ ...first, moment: 0 });
    expect(apart(await places(page), folds)).toBeLessThan(0.02);

    // After a reload all is there; the file brings the saved one back as it lay.
    await page.reload();
    await page.waitForFunction(() => (window.terrain?.view.frames ?? 0) > 1);
    await idle(page);
    expect((await landscape(page)).hills).toEqual(first.hills);
    expect(apart(await places(page), folds)).toBeLessThan(0.03);
    const chosen = page.waitForEvent('filechooser');
    // What is evaluated comes after the request to hand dialogs over.
    await page.evaluate(() => null);
    await page.keyboard.press('Control+o');
    await (await chosen).setFiles(file);
    await page.waitForFunction(() => window.terrain?.store.landscape.hills.length === 2);
    await idle(page);
    expect((await landscape(page)).hills).toEqual(saved.hills);
    expect(apart(await places(page), lies)).toBeLessThan(0.03);
    expect(shown.complaints).toEqual([]);
    await shown.close();
  }, 180_000);

  it('is modelled by touch on a phone, and walked on with two thumbs', async () => {
    const shown = await open(PHONE);
    const { page } = shown;
    const hand = await Hand.on(page);

    // Two fingers that tap make a body; one drags it.
    const spot = await onScreen(page, [0.35, -0.2, 0.01]);
    await hand.tap([{ x: spot.x - 20, y: spot.y }, { x: spot.x + 20, y: spot.y }]);
    await page.waitForFunction(() => window.terrain?.store.landscape.hills.length === 2);
    await idle(page);
    const made = await hill(page, 2);
    await hand.slide([await onScreen(page, [...made.position, 0.1])], [await onScreen(page, [0.4, 0.25, 0.1])]);
    await page.waitForFunction((before) => (window.terrain?.store.hill(2)?.position[1] ?? 0) > before + 0.2, made.position[1]);
    await idle(page);
    const top = await handleAt(page, 'height');
    await hand.slide([top], [{ x: top.x, y: top.y - 30 }]);
    await page.waitForFunction((before) => (window.terrain?.store.hill(2)?.radii[2] ?? 0) > before + 0.03, made.radii[2]);
    await idle(page);
    await shown.picture('terrain-cloth-phone');

    // A finger that holds a body opens the widget.
    const body = await onScreen(page, [...(await hill(page, 2)).position, 0.12]);
    await hand.touch('touchStart', [body]);
    await page.locator('.exponents-held').waitFor();
    await hand.touch('touchMove', [{ x: body.x - 50, y: body.y + 40 }]);
    await hand.touch('touchEnd');
    await page.waitForFunction((before) => (window.terrain?.store.hill(2)?.exponents[0] ?? 2) < before - 0.1, made.exponents[0]);

    // One finger pulls the cloth and leaves a clothespin.
    await idle(page);
    const empty = await onScreen(page, [-0.2, -0.6, 0.01]);
    await hand.touch('touchStart', [empty]);
    await hand.touch('touchMove', [{ x: empty.x, y: empty.y - 40 }]);
    await hand.touch('touchMove', [{ x: empty.x, y: empty.y - 60 }]);
    await page.waitForFunction(() => window.terrain?.view.pins.isReady === true);
    await hand.touch('touchEnd');
    await page.waitForFunction(() => window.terrain?.store.landscape.settings.pins.length === 1);
    await idle(page);
    await equalsServer(page);
    await shown.picture('terrain-pin-phone');

    // Two fingers turn the view, and change nothing.
    const before = await landscape(page);
    const azimuth = await page.evaluate(() => window.terrain?.view.orbit.azimuth ?? 0);
    await hand.slide([{ x: 120, y: 560 }, { x: 260, y: 560 }], [{ x: 180, y: 570 }, { x: 320, y: 570 }]);
    expect(await page.evaluate(() => window.terrain?.view.orbit.azimuth ?? 0)).not.toBeCloseTo(azimuth, 1);
    expect((await landscape(page)).hills).toEqual(before.hills);

    // Walk: the left thumb moves, the right one looks, a tap jumps.
    await page.getByRole('button', { name: 'Walk on it' }).click();
    await page.waitForFunction(() => window.terrain?.store.walking.value === true && (window.terrain.view.applied?.poses.get(3)?.length ?? 0) > 0);
    const start = await page.evaluate(() => window.terrain?.view.applied?.poses.get(3)?.[0]?.position ?? [0, 0, 0]);
    await hand.touch('touchStart', [{ x: 90, y: 560 }]);
    await hand.touch('touchMove', [{ x: 90, y: 500 }]);
    await page.waitForFunction(([x, y]) => {
      const at = window.terrain?.view.applied?.poses.get(3)?.[0]?.position ?? [0, 0, 0];
      return Math.hypot(at[0] - (x ?? 0), at[1] - (y ?? 0)) > 0.15;
    }, start);
    await shown.picture('terrain-walk-phone');
    await hand.touch('touchEnd');
    await hand.slide([{ x: 300, y: 500 }], [{ x: 240, y: 480 }]);
    expect(await page.evaluate(() => window.terrain?.view.walking.yaw ?? 0)).toBeGreaterThan(Math.PI / 2 + 0.2);
    await page.getByRole('button', { name: 'Back to the cloth' }).click();
    await page.waitForFunction(() => window.terrain?.store.walking.value === false);
    await idle(page);
    expect(await landscape(page)).toEqual(before);
    await undoAll(page);
    await idle(page);
    expect((await landscape(page)).hills).toEqual(FIRST.hills);
    expect(shown.complaints).toEqual([]);
    await shown.close();
  }, 180_000);

  it('opens its gallery, walks with keys, carries links, and answers a hand', async () => {
    const shown = await open(WIDE);
    const { page } = shown;
    await page.getByRole('button', { name: 'Story' }).click();
    await page.getByRole('menuitem', { name: /Mesas/ }).click();
    await page.waitForFunction(() => window.terrain?.store.landscape.name === 'Mesas');
    await page.getByRole('radio', { name: 'Terrain' }).click();
    await idle(page);
    await shown.picture('terrain-mesas-wide');
    await page.keyboard.press('g');
    await page.waitForFunction(() => window.terrain?.store.walking.value === true && (window.terrain.view.applied?.poses.get(3)?.length ?? 0) > 0);
    const start = await page.evaluate(() => window.terrain?.view.applied?.poses.get(3)?.[0]?.position ?? [0, 0, 0]);
    await page.keyboard.down('w');
    await page.waitForFunction(([x, y]) => {
      const at = window.terrain?.view.applied?.poses.get(3)?.[0]?.position ?? [0, 0, 0];
      return Math.hypot(at[0] - (x ?? 0), at[1] - (y ?? 0)) > 0.2;
    }, start);
    await page.keyboard.up('w');
    await shown.picture('terrain-walk-wide');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => window.terrain?.store.walking.value === false);
    await idle(page);

    // A link carries the bodies.
    await page.getByRole('button', { name: 'File' }).click();
    await page.getByRole('menuitem', { name: 'Copy a link' }).click();
    await page.getByText('Copied: the link carries').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const hills = (await landscape(page)).hills;
    await undoAll(page);
    await page.waitForFunction(() => window.terrain?.store.landscape.name === 'Story');
    await page.evaluate((address) => {
      location.hash = new URL(address).hash;
    }, link);
    await page.waitForFunction(() => window.terrain?.store.landscape.name === 'Mesas');
    expect((await landscape(page)).hills).toEqual(hills);

    // How long a hand's move takes to be seen, for the record: what it is depends on the machine.
    await idle(page);
    const at = await onScreen(page, [...(hills[4]?.position ?? [0, 0]), 0.1]);
    await page.evaluate(() => {
      window.terrain?.view.latency.reset();
    });
    const hand = await Hand.on(page);
    await hand.grab(at, { x: at.x + 60, y: at.y }, { steps: 30 });
    await page.waitForFunction(() => (window.terrain?.view.latency.summary().count ?? 0) > 0);
    await hand.drop({ x: at.x + 60, y: at.y }, { x: at.x, y: at.y }, { steps: 30 });
    await idle(page);
    keep('terrain-latency.json', JSON.stringify(await page.evaluate(() => ({ latency: window.terrain?.view.latency.summary(), speed: window.terrain?.store.speed.value })), null, 2));
    expect(shown.complaints).toEqual([]);
    await shown.close();
  }, 180_000);
});

/** Edges that have no partner in the other direction. */
function openEdges(geometry: BufferGeometry): number {
  const positions = geometry.getAttribute('position');
  const key = (k: number) => `${positions.getX(k)} ${positions.getY(k)} ${positions.getZ(k)}`;
  const edges = new Map<string, number>();
  for (let k = 0; k < positions.count; k += 3) {
    for (const [a, b] of [[k, k + 1], [k + 1, k + 2], [k + 2, k]] as const) {
      const [p, q] = [key(a), key(b)];
      const [name, way] = p < q ? [`${p}|${q}`, 1] : [`${q}|${p}`, -1];
      edges.set(name, (edges.get(name) ?? 0) + way);
    }
  }
  return [...edges.values()].filter((sum) => sum !== 0).length;
}
