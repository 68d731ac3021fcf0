// What hands do in Multibody Sketcher, one thing after the other on one page: every gesture of every mode, files in and out, links. What
// comes of each is read from the document, the session or the file.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Hand, type Point } from './hand';
import { type Window as Shown, Workshop } from './program';
import { along, creature, ellipse, EMPTY, equalsServer, exported, idle, look, middle, onScreen, openCreature, openSketcher, ready, robotInfo, setMode, type Triple } from './sketcher-page';

const workshop = new Workshop();
const WIDE = { viewport: { width: 1280, height: 800 }, hasTouch: true, colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'light' } as const;

/** A closed surface: an egg along z around a place, as a Wavefront file. */
function eggMesh(center: Triple, radii: Triple): string {
  const lines: string[] = [];
  const [around, down] = [24, 14];
  for (let k = 0; k <= down; k++) {
    for (let i = 0; i < around; i++) {
      const [u, v] = [(2 * Math.PI * i) / around, Math.PI * (k / down - 0.5)];
      lines.push(`v ${center[0] + radii[0] * Math.cos(u) * Math.cos(v)} ${center[1] + radii[1] * Math.sin(u) * Math.cos(v)} ${center[2] + radii[2] * Math.sin(v)}`);
    }
  }
  for (let k = 0; k < down; k++) {
    for (let i = 0; i < around; i++) {
      const at = (row: number, column: number) => 1 + row * around + (column % around);
      lines.push(`f ${at(k, i)} ${at(k, i + 1)} ${at(k + 1, i + 1)} ${at(k + 1, i)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** As text and back: JSON has no negative zero. */
function asText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A robot of two links that both look like the same mesh. */
const ROBOT = `<?xml version="1.0"?>
<robot name="pair">
  <link name="upper">
    <visual><origin xyz="0 0 0.2"/><geometry><mesh filename="package://pair/meshes/egg.obj"/></geometry></visual>
    <collision><origin xyz="0 0 0.2"/><geometry><mesh filename="package://pair/meshes/egg.obj"/></geometry></collision>
  </link>
  <link name="lower">
    <visual><origin xyz="0 0 0.2"/><geometry><mesh filename="package://pair/meshes/egg.obj" scale="0.5 0.5 1"/></geometry></visual>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 0.45"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1.2" effort="5" velocity="5"/>
  </joint>
</robot>
`;

describe('hands in Multibody Sketcher', () => {
  let shown: Shown;
  let hand: Hand;
  const page = () => shown.page;

  beforeAll(async () => {
    shown = await openSketcher(workshop, WIDE);
    hand = await Hand.on(page());
  });
  afterAll(async () => {
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });

  const stroke = async (...corners: Triple[]) => {
    await hand.trace(along(await onScreen(page(), corners)));
    await idle(page());
  };
  const fresh = async (given: unknown = EMPTY, face = 'front') => {
    await setMode(page(), 'skeleton');
    await openCreature(page(), given);
    await look(page(), face);
  };
  const at = async (place: Triple): Promise<Point> => (await onScreen(page(), [place]))[0] ?? { x: 0, y: 0 };
  const chosenHitbox = async () => {
    const { hitboxes } = await creature(page());
    const id = await page().evaluate(() => window.sketcher?.store.chosen.peek()?.id);
    return hitboxes.find((hitbox) => hitbox.id === id);
  };

  it('splits a bone by a tap, moves a held joint, draws both sides or one, erases', async () => {
    await fresh();
    await stroke([0, 0, 0.6], [0, 0, 1.4]);
    await hand.click(await at([0, 0, 1]));
    await idle(page());
    const split = await creature(page());
    expect(split.bones.length).toBe(2);
    expect(split.joints.map(({ position }) => position[2]).sort()[1]).toBeCloseTo(1, 1);
    // By mouse, held still, then dragged.
    await stroke([0, 0, 1.4], [0.5, 0, 1.4]);
    expect((await creature(page())).bones.length).toBe(4);
    const [from, to] = [await at([0.5, 0, 1.4]), await at([0.6, 0, 1.1])];
    await hand.press(from);
    await page().waitForFunction(() => window.sketcher?.store.document.isHeld === true);
    await hand.drop(from, to);
    await idle(page());
    const moved = (await creature(page())).joints.filter(({ position: [x, , z] }) => Math.abs(Math.abs(x) - 0.6) < 0.02 && Math.abs(z - 1.1) < 0.02);
    expect(moved.length).toBe(2);
    // Without the mirror only this side.
    await page().keyboard.press('m');
    await stroke([0.6, 0, 1.1], [0.6, 0, 0.8]);
    const one = await creature(page());
    expect([one.mirror, one.bones.length]).toEqual([false, 5]);
    await page().keyboard.press('e');
    await stroke([0.5, 0, 0.95], [0.7, 0, 0.95]);
    expect((await creature(page())).bones.length).toBe(4);
    await page().keyboard.press('Control+z');
    await idle(page());
    expect((await creature(page())).bones.length).toBe(5);
    await equalsServer(page());
  });

  it('tapers by a handle, opens the exponent widget by a hold, grows all', async () => {
    await fresh();
    await stroke([0, 0, 0.5], [0, 0, 1.5]);
    await setMode(page(), 'hitbox');
    const [low, high] = [await at([0, 0, 0.6]), await at([0, 0, 1.4])];
    await hand.trace(ellipse(middle(low, high), 0.5 * (low.y - high.y), 60, Math.PI / 2));
    await idle(page());
    const drawn = await chosenHitbox();
    expect(drawn?.taper).toEqual([0, 0]);
    // Of the handles the one that tapers.
    const [handle, away] = await page().evaluate(() => {
      const view = window.sketcher?.view;
      const box = document.querySelector('canvas.stage')?.getBoundingClientRect();
      const found = view?.handles.targets.find(({ userData }) => (userData['handle'] as { kind: string } | undefined)?.kind === 'taper');
      if (!view || !box || !found) throw new Error('there is no handle to taper with');
      const place = view.project(found.getWorldPosition(view.orbit.target.clone()));
      const center = view.project(view.orbit.target.clone().set(0, 0, 1));
      const start = { x: place.x + box.left, y: place.y + box.top };
      return [start, { x: start.x + Math.sign(place.x - center.x) * 22, y: start.y }];
    });
    await hand.drag(handle, away, { steps: 6 });
    await idle(page());
    const tapered = await chosenHitbox();
    expect(Math.max(...(tapered?.taper ?? [0, 0]).map(Math.abs))).toBeGreaterThan(0.1);
    await shown.picture('sketcher-taper-wide');
    // Held still with a finger, then slid: the widget.
    const center = await at([0, 0, 1]);
    await hand.touch('touchStart', [center]);
    await page().locator('.exponents-held').waitFor();
    await hand.touch('touchMove', [{ x: center.x - 20, y: center.y + 10 }]);
    await hand.touch('touchMove', [{ x: center.x - 45, y: center.y + 30 }]);
    await shown.picture('sketcher-widget-wide');
    await hand.touch('touchEnd');
    await idle(page());
    const shaped = await chosenHitbox();
    expect(shaped?.exponents[0]).toBeLessThan((tapered?.exponents[0] ?? 0) - 0.1);
    expect(shaped?.exponents[1]).toBeLessThan((tapered?.exponents[1] ?? 0) - 0.05);
    // The slider grows it, and goes back to its middle.
    const grow = page().getByRole('slider', { name: 'Grow' });
    const box = await grow.boundingBox();
    if (!box) throw new Error('there is no slider');
    const start = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await hand.drag(start, { x: start.x + box.width / 4, y: start.y }, { over: '.slider', steps: 5 });
    await idle(page());
    const grown = await chosenHitbox();
    const factor = (grown?.radii[0] ?? 0) / (shaped?.radii[0] ?? 1);
    expect(factor).toBeGreaterThan(1.1);
    expect((grown?.radii[2] ?? 0) / (shaped?.radii[2] ?? 1)).toBeCloseTo(factor, 6);
    const middleOf = (range: Element) => Number((range as HTMLInputElement).value) / Number((range as HTMLInputElement).max);
    expect(await grow.evaluate(middleOf)).toBe(0.5);
    await equalsServer(page());
  });

  it('fits hitboxes to a mesh, and follows what was fitted', async () => {
    await fresh();
    await stroke([0, 0, 0.6], [0, 0, 1.4]);
    await setMode(page(), 'hitbox');
    const folder = mkdtempSync(join(tmpdir(), 'sketcher-'));
    const file = join(folder, 'body.obj');
    writeFileSync(file, eggMesh([0, 0, 1], [0.18, 0.14, 0.42]));
    const [chooser] = await Promise.all([page().waitForEvent('filechooser'), page().getByRole('button', { name: 'Open a mesh' }).click()]);
    await chooser.setFiles(file);
    await page().waitForFunction(() => (window.sketcher?.store.creature.meshes ?? []).length === 1);
    await idle(page());
    await page().getByRole('button', { name: 'Fit to mesh' }).click();
    await page().waitForFunction(() => window.sketcher?.store.creature.hitboxes.length === 1);
    await idle(page());
    const [fitted] = (await creature(page())).hitboxes;
    expect(fitted?.position.map((part) => Math.round(part * 100) / 100 + 0)).toEqual([0, 0, 1]);
    const radii = [...(fitted?.radii ?? [])].sort((a, b) => a - b);
    for (const [k, wanted] of [0.14, 0.18, 0.42].entries()) expect(Math.abs((radii[k] ?? 0) / wanted - 1)).toBeLessThan(0.05);
    await shown.picture('sketcher-fit-wide');
    await equalsServer(page());
  });

  it('imports a robot with its meshes, and edits hitboxes over them', async () => {
    await fresh();
    // Dropped together.
    await page().evaluate(([urdf, mesh]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([mesh], 'egg.obj'));
      transfer.items.add(new File([urdf], 'pair.urdf'));
      for (const type of ['dragover', 'drop']) window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, [ROBOT, eggMesh([0, 0, 0], [0.12, 0.1, 0.2])] as const);
    await page().waitForFunction(() => (window.sketcher?.store.creature.meshes ?? []).every(({ hash }) => hash !== '') && window.sketcher?.store.creature.name === 'pair');
    await idle(page());
    const robot = await creature(page());
    expect(robot.bones.map(({ name }) => name).sort()).toEqual(['lower', 'upper']);
    expect(robot.meshes?.length).toBe(2);
    const lower = robot.bones.find(({ name }) => name === 'lower');
    expect(lower?.articulation.ranges[0]).toEqual([-1, 1.2]);
    await setMode(page(), 'hitbox');
    await look(page(), 'front');
    await page().getByRole('button', { name: 'Fit to mesh' }).click();
    await page().waitForFunction(() => window.sketcher?.store.creature.hitboxes.length === 2);
    await idle(page());
    const fitted = await creature(page());
    const upper = fitted.hitboxes.find(({ bone }) => bone === fitted.bones.find(({ name }) => name === 'upper')?.id);
    const sizes = [...(upper?.radii ?? [])].sort((a, b) => a - b);
    for (const [k, wanted] of [0.1, 0.12, 0.2].entries()) expect(Math.abs((sizes[k] ?? 0) / wanted - 1)).toBeLessThan(0.06);
    // Two fingers move it.
    const center = await at(upper?.position ?? [0, 0, 0]);
    await hand.slide([{ x: center.x - 15, y: center.y }, { x: center.x + 15, y: center.y }], [{ x: center.x + 15, y: center.y }, { x: center.x + 45, y: center.y }]);
    await idle(page());
    const dragged = (await creature(page())).hitboxes.find(({ id }) => id === upper?.id);
    expect((dragged?.position[0] ?? 0) - (upper?.position[0] ?? 0)).toBeGreaterThan(0.01);
    await shown.picture('sketcher-import-wide');
    const { info } = robotInfo(await exported(page(), 'Export as URDF'));
    expect(info.diagnostics).toEqual([]);
    expect(info.joints.find(({ child }) => child === 'lower')).toMatchObject({ type: 'revolute', lower: -1, upper: 1.2 });
    await equalsServer(page());
  });

  it('bends a chain along a line of action', async () => {
    await fresh();
    await page().keyboard.press('m');
    for (let k = 0; k < 5; k++) await stroke([0.25 * k - 0.6, 0, 0.5], [0.25 * k - 0.35, 0, 0.5]);
    expect((await creature(page())).bones.length).toBe(5);
    await setMode(page(), 'pose');
    await page().keyboard.press('l');
    const arc = Array.from({ length: 25 }, (_, k): Triple => {
      const angle = (k / 24) * 1.1;
      return [-0.6 + 1.13 * Math.sin(angle), 0, 0.5 + 1.13 * (1 - Math.cos(angle))];
    });
    await stroke(...arc);
    await page().waitForFunction(() => (window.sketcher?.store.creature.stance.turns.length ?? 0) > 2);
    await idle(page());
    const tip = await page().evaluate(() => [...(window.sketcher?.view.bones.joints.values() ?? [])].map(({ x, z }) => [x, z] as const).sort((a, b) => b[0] - a[0])[0]);
    expect(tip?.[1]).toBeGreaterThan(0.75);
    await shown.picture('sketcher-line-wide');
    await equalsServer(page());
  });

  it('edits keyframes by hand: adds, moves, removes, plays, and shows collisions while it plays', async () => {
    // Two arms on a bar, which swing into each other.
    await fresh();
    await page().keyboard.press('m');
    await stroke([-0.4, 0, 1.2], [0, 0, 1.2], [0.4, 0, 1.2]);
    await stroke([-0.4, 0, 1.2], [-0.4, 0, 0.6]);
    await stroke([0.4, 0, 1.2], [0.4, 0, 0.6]);
    await setMode(page(), 'hitbox');
    for (const x of [-0.4, 0.4]) {
      const [a, b] = [await at([x, 0, 1.1]), await at([x, 0, 0.65])];
      await hand.trace(ellipse(middle(a, b), 0.5 * Math.abs(b.y - a.y), 26, Math.PI / 2));
      await idle(page());
    }
    await setMode(page(), 'pose');
    const track = await page().locator('.sketcher-track').boundingBox();
    if (!track) throw new Error('there is no timeline');
    const on = (part: number): Point => ({ x: track.x + part * track.width, y: track.y + track.height / 2 });
    const over = { over: '.sketcher-track' };
    await page().keyboard.press('k');
    await hand.click(on(0.5), over);
    await idle(page());
    // Both feet to the middle.
    for (const [from, to] of [[-0.4, 0.15], [0.4, -0.15]] as const) {
      await hand.drag(await at([from, 0, 0.6]), await at([to, 0, 0.75]), { steps: 8 });
      await idle(page());
    }
    await page().keyboard.press('k');
    await hand.click(on(0.9), over);
    await page().keyboard.press('k');
    await idle(page());
    const times = async () => (await creature(page())).keys.map(({ time }) => time);
    expect(await times()).toEqual([0, 1, 1.8]);
    const crossed = (await creature(page())).keys[1]?.stance;
    expect(crossed?.turns.length).toBeGreaterThan(0);
    // The last diamond is dragged; the track shows 1.25 times its time.
    await hand.drag(on(0.8), on(0.7), { ...over, steps: 5 });
    await idle(page());
    const [, , last = 0] = await times();
    expect(last).toBeGreaterThan(1.5);
    expect(last).toBeLessThan(1.65);
    // A tap on a key goes there; another stance replaces it, the button removes it.
    const keys = page().locator('.sketcher-key');
    expect(await keys.count()).toBe(3);
    const place = async (k: number): Promise<Point> => {
      const box = await keys.nth(k).boundingBox();
      return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
    };
    await hand.click(await place(1), over);
    await idle(page());
    expect((await creature(page())).stance).toEqual(crossed);
    await shown.picture('sketcher-keys-wide');
    await hand.click(await place(2), over);
    await page().getByRole('button', { name: 'Remove the key here' }).click();
    await idle(page());
    expect(await times()).toEqual([0, 1]);
    await page().keyboard.press('Control+z');
    await idle(page());
    expect((await times()).length).toBe(3);
    // While it plays, arms that meet are told, and let go of again.
    await page().keyboard.press('Space');
    await page().waitForFunction(() => window.sketcher?.store.contacts.value.some(({ distance }) => distance < 0));
    await shown.picture('sketcher-collide-wide');
    await page().waitForFunction(() => window.sketcher?.store.contacts.value.every(({ distance }) => distance >= 0));
    await page().keyboard.press('Space');
    await idle(page());
    expect(await page().evaluate(() => window.sketcher?.store.playing.peek())).toBe(false);
    await equalsServer(page());
  });

  it('is twisted by two fingers, and by Shift, in physics, and swings back', async () => {
    // A bone that hangs from another.
    await fresh();
    await stroke([0, 0, 1.6], [0, 0, 1.35]);
    await stroke([0, 0, 1.35], [0, 0, 0.7]);
    await setMode(page(), 'hitbox');
    const [top, bottom] = [await at([0, 0, 1.25]), await at([0, 0, 0.75])];
    await hand.trace(ellipse(middle(top, bottom), 0.5 * (bottom.y - top.y), 34, Math.PI / 2));
    await idle(page());
    const drawn = await creature(page());
    expect(drawn.hitboxes.length).toBe(1);
    await setMode(page(), 'physics');
    await page().waitForFunction(() => (window.sketcher?.store.newest?.tick ?? 0) > 10);
    const id = drawn.hitboxes[0]?.bone ?? 0;
    // How far it leans to the right of the view, as the sine of the angle.
    const leans = (how: 'left' | 'right' | 'not') => page().waitForFunction(([bone, wanted]) => {
      const lean = window.sketcher?.store.places.value.get(bone)?.elements[8] ?? 0;
      return wanted === 'not' ? Math.abs(lean) < 0.06 : wanted === 'left' ? lean < -0.2 : lean > 0.2;
    }, [id, how] as const);
    const center = middle(top, bottom);
    const around = (angle: number): [Point, Point] => {
      const [dx, dy] = [14 * Math.cos(angle), 14 * Math.sin(angle)];
      return [{ x: center.x - dx, y: center.y - dy }, { x: center.x + dx, y: center.y + dy }];
    };
    await hand.touch('touchStart', [around(0)[0]]);
    await hand.touch('touchStart', around(0));
    for (let k = 1; k <= 8; k++) await hand.touch('touchMove', around(0.15 * k));
    await leans('right');
    await shown.picture('sketcher-twist-wide');
    await hand.touch('touchEnd');
    await leans('not');
    await page().keyboard.down('Shift');
    await hand.grab(center, { x: center.x - 80, y: center.y }, { shift: true });
    await leans('left');
    await hand.drop({ x: center.x - 80, y: center.y }, { x: center.x - 80, y: center.y }, { shift: true });
    await page().keyboard.up('Shift');
    await leans('not');
    await setMode(page(), 'skeleton');
    await idle(page());
    expect(await creature(page())).toEqual(drawn);
  });

  it('travels by a link', async () => {
    const spider = await ready(page(), 'Spider');
    await fresh(spider);
    await page().getByRole('button', { name: 'File' }).click();
    await page().getByRole('menuitem', { name: 'Copy a link that carries it' }).click();
    await page().getByText('Copied').waitFor();
    const link = await page().evaluate(() => navigator.clipboard.readText());
    expect(link.length).toBeLessThan(20_000);
    await fresh();
    // Into the same window: only what follows the hash changes.
    await page().goto(link, { waitUntil: 'commit' });
    await page().waitForFunction(() => window.sketcher?.store.creature.name === 'Spider');
    await idle(page());
    expect(await creature(page())).toEqual(asText(spider));
  });

  it('is exported in every format', async () => {
    await fresh(await ready(page(), 'Hand'));
    const text = async (label: string) => (await exported(page(), label)).toString('utf8');
    expect(robotInfo(await exported(page(), 'Export as URDF')).info.diagnostics).toEqual([]);
    const zip = await exported(page(), 'Export as URDF with meshes (zip)');
    expect(zip.subarray(0, 2).toString()).toBe('PK');
    expect(zip.includes('.urdf')).toBe(true);
    expect(await text('Export as MJCF for MuJoCo')).toContain('<mujoco');
    expect((await exported(page(), 'Export as GLB, animated')).subarray(0, 4).toString()).toBe('glTF');
    expect(await text('Export as COLLADA')).toContain('<COLLADA');
    expect(await text('Export as a scene for superegg sim')).toContain('[[body]]');
    expect((await exported(page(), 'Export the view as PNG')).subarray(1, 4).toString()).toBe('PNG');
    // A file that was saved opens again as what it was.
    const saved = await text('Save as a file');
    const before = await creature(page());
    await fresh();
    const file = join(mkdtempSync(join(tmpdir(), 'sketcher-')), 'hand.superegg.json');
    writeFileSync(file, saved);
    await page().getByRole('button', { name: 'File' }).click();
    const [chooser] = await Promise.all([page().waitForEvent('filechooser'), page().getByRole('menuitem', { name: 'Open a file or a robot (URDF)' }).click()]);
    await chooser.setFiles(file);
    await page().waitForFunction(() => window.sketcher?.store.creature.name === 'Hand');
    await idle(page());
    expect(await creature(page())).toEqual(asText(before));
  });

  it('moves keys and opens panels with a finger on a phone', async () => {
    const phone = await openSketcher(workshop, PHONE);
    const finger = await Hand.on(phone.page, '.sketcher-track');
    await openCreature(phone.page, await ready(phone.page, 'Horse'));
    await setMode(phone.page, 'pose');
    await idle(phone.page);
    const keys = phone.page.locator('.sketcher-key');
    const box = await keys.nth(2).boundingBox();
    const before = (await creature(phone.page)).keys.map(({ time }) => time);
    const from = { x: (box?.x ?? 0) + 6, y: (box?.y ?? 0) + 6 };
    await finger.slide([from], [{ x: from.x + 24, y: from.y }], 5);
    await idle(phone.page);
    const after = (await creature(phone.page)).keys.map(({ time }) => time);
    expect(after[2]).toBeGreaterThan((before[2] ?? 0) + 0.05);
    expect([after[1], after[3]]).toEqual([before[1], before[3]]);
    await phone.picture('sketcher-keys-phone');
    for (const mode of ['skeleton', 'joint', 'hitbox', 'physics'] as const) {
      await setMode(phone.page, mode);
      if (mode === 'physics') await phone.page.waitForFunction(() => (window.sketcher?.store.places.value.size ?? 0) > 0);
      await phone.page.getByRole('button', { name: 'Panel' }).click();
      await idle(phone.page).catch(() => undefined);
      await phone.picture(`sketcher-panel-${mode}-phone`);
      await phone.page.getByRole('button', { name: 'Panel' }).click();
    }
    expect(phone.complaints).toEqual([]);
    await phone.close();
  });
});
