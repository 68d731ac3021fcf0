// Multibody Sketcher in a real browser: creatures drawn from nothing with strokes, by mouse and by touch, in several views, to a robot that
// `superegg robot` reads; physics; every mode as a picture, wide and phone-sized.

import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { SkinnedMesh } from 'three';
import { describe, expect, it } from 'vitest';

import type { Creature } from '../../src/apps/sketcher/messages';
import { Hand, type Point } from './hand';
import { keep, Workshop } from './program';
import { along, creature, ellipse, equalsServer, exported, idle, look, middle, onScreen, openCreature, openSketcher, ready, robotInfo, setMode, type Triple } from './sketcher-page';

const workshop = new Workshop();
const WIDE = { viewport: { width: 1100, height: 700 }, colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'light' } as const;

describe('Multibody Sketcher', () => {
  it('draws a humanoid with the mouse in two views, to a robot that others read, and moves it', async () => {
    const shown = await openSketcher(workshop, WIDE);
    const { page } = shown;
    const hand = await Hand.on(page);
    const stroke = async (...corners: Triple[]) => {
      await hand.trace(along(await onScreen(page, corners)));
      await idle(page);
    };
    // A spine, a head; arms and legs on the right side of the paper, which the mirror completes.
    await stroke([0, 0, 1], [0, 0, 1.45]);
    await stroke([0, 0, 1.45], [0, 0, 1.75]);
    await stroke([0, 0, 1.45], [0.45, 0, 1.42], [0.75, 0, 1.1]);
    await stroke([0, 0, 1], [0.18, 0, 0.98], [0.2, 0, 0.5]);
    await stroke([0.2, 0, 0.5], [0.2, 0, 0.08]);
    expect((await creature(page)).bones.length).toBe(2 + 4 + 6);
    // Feet are drawn from the side: they land below the shins.
    await look(page, 'right');
    await stroke([0.2, 0, 0.08], [0.2, -0.22, 0.06]);
    const drawn = await creature(page);
    expect(drawn.bones.length).toBe(14);
    const feet = drawn.joints.filter(({ position }) => position[1] < -0.15).map(({ position }) => position);
    expect(feet.map(([x]) => Math.sign(x)).sort()).toEqual([-1, 1]);
    expect(Math.abs(feet[0]?.[0] ?? 0)).toBeCloseTo(0.2, 1);
    await look(page, 'front');
    await shown.picture('sketcher-skeleton-wide');

    // Ellipses over bones; a line is refused with a hint.
    await setMode(page, 'hitbox');
    const over = async (a: Triple, b: Triple, thick: number) => {
      const [from, to] = await onScreen(page, [a, b]) as [Point, Point];
      const long = 0.5 * Math.hypot(to.x - from.x, to.y - from.y) + 4;
      await hand.trace(ellipse(middle(from, to), long, thick, Math.atan2(to.y - from.y, to.x - from.x)));
      await idle(page);
    };
    await over([0, 0, 1.02], [0, 0, 1.43], 30);
    await over([0, 0, 1.5], [0, 0, 1.72], 24);
    await over([0.05, 0, 1.45], [0.44, 0, 1.42], 14);
    await over([0.46, 0, 1.41], [0.74, 0, 1.11], 13);
    await over([0.19, 0, 0.95], [0.2, 0, 0.52], 18);
    await over([0.2, 0, 0.48], [0.2, 0, 0.1], 14);
    expect((await creature(page)).hitboxes.length).toBe(2 + 8);
    const [start, end] = await onScreen(page, [[-0.6, 0, 0.5], [-0.5, 0, 0.9]]) as [Point, Point];
    await hand.trace(along([start, end]));
    await page.getByText('That looks like a line').waitFor();
    await shown.picture('sketcher-hitbox-wide');

    // A knee is an elbow, by the panel.
    await setMode(page, 'joint');
    const [knee] = await onScreen(page, [[0.2, 0, 0.5]]) as [Point];
    await hand.click(knee);
    await page.getByRole('button', { name: 'elbow' }).click();
    await idle(page);
    const bent = await creature(page);
    const elbows = bent.bones.filter(({ articulation: { ranges } }) => ranges[0][0] === 0 && ranges[0][1] > 2);
    expect(elbows.length).toBe(2);
    await shown.picture('sketcher-joint-wide');
    await equalsServer(page);

    // The robot: read by the program's own command without a complaint.
    const urdf = await exported(page, 'Export as URDF');
    const { info, text, distances } = robotInfo(urdf);
    keep('sketcher-robot-info.txt', text);
    expect(info.diagnostics).toEqual([]);
    expect(info.links).toBe(info.joints.length + 1);
    const names = info.joints.map(({ child }) => child);
    for (const { name } of bent.bones) expect(names).toContain(name);
    const knees = info.joints.filter(({ upper, lower }) => lower === 0 && (upper ?? 0) > 2);
    expect(knees.map(({ type }) => type)).toEqual(['revolute', 'revolute']);
    const free = bent.bones.slice(1).flatMap(({ articulation: { ranges } }) => ranges.filter(([low, high]) => high > low));
    expect(info.dof).toBe(free.length);
    expect(distances.length).toBeGreaterThan(10);

    // It opens again as what it was.
    const again = await page.evaluate((words) => window.sketcher?.store.imported(words), urdf.toString('utf8'));
    expect(again?.bones.map(({ name }) => name).sort()).toEqual(bent.bones.map(({ name }) => name).sort());
    expect(again?.hitboxes.length).toBe(bent.hitboxes.length);

    // Physics: an arm is pulled; leaving brings everything back.
    await setMode(page, 'physics');
    await page.waitForFunction(() => (window.sketcher?.store.places.value.size ?? 0) === 14);
    // Where the end of an arm is now: it hangs already.
    const forearm = bent.bones.find(({ to }) => (bent.joints.find(({ id }) => id === to)?.position[0] ?? 0) > 0.7)?.id ?? 0;
    const middleOf = (id: number) => page.evaluate((wanted): Triple => {
      const [from, to] = window.sketcher?.view.bones.ends.get(wanted) ?? [];
      if (!from || !to) throw new Error('there is no such bone');
      return from.clone().lerp(to, 0.5).toArray();
    }, id);
    await page.waitForFunction(() => (window.sketcher?.store.newest?.tick ?? 0) > 60);
    const [arm] = await onScreen(page, [await middleOf(forearm)]) as [Point];
    const [away] = await onScreen(page, [[0.75, 0, 1.5]]) as [Point];
    await hand.grab(arm, away, { steps: 8 });
    await expect.poll(async () => (await middleOf(forearm))[2]).toBeGreaterThan(1.3);
    await shown.picture('sketcher-physics-wide');
    await hand.drop(away, away);
    await page.getByRole('radio', { name: 'Fall' }).click();
    await page.waitForFunction(() => [...(window.sketcher?.store.places.value.values() ?? [])].some(({ elements }) => elements[14] < -0.05));
    await setMode(page, 'skeleton');
    await idle(page);
    expect(await creature(page)).toEqual(bent);
    // All of it can be undone.
    await page.evaluate(() => {
      const store = window.sketcher?.store;
      while (store?.document.names.value.undo) store.undo();
    });
    await idle(page);
    expect((await creature(page)).bones.length).toBe(0);
    await equalsServer(page);
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });

  it('is drawn with fingers on a phone: bones from above, a held joint, two fingers on a hitbox', async () => {
    const shown = await openSketcher(workshop, PHONE);
    const { page } = shown;
    const hand = await Hand.on(page);
    await look(page, 'top');
    const trail = async (...corners: Triple[]) => {
      await hand.trail(along(await onScreen(page, corners)));
      await idle(page);
    };
    await trail([0, -0.4, 0], [0, 0.4, 0]);
    await trail([0, 0.35, 0], [0.45, 0.6, 0]);
    const drawn = await creature(page);
    expect(drawn.bones.length).toBe(3);
    expect(drawn.joints.every(({ position }) => Math.abs(position[2]) < 1e-9)).toBe(true);
    // Held still, a joint goes with the finger, and its image with it.
    const tip = drawn.joints.find(({ position }) => position[0] > 0.3)?.position as Triple;
    const [from, to] = await onScreen(page, [tip, [0.55, 0.2, 0]]) as [Point, Point];
    await hand.touch('touchStart', [from]);
    await page.waitForFunction(() => window.sketcher?.store.document.isHeld === true);
    await hand.touch('touchMove', [middle(from, to)]);
    await hand.touch('touchMove', [to]);
    await hand.touch('touchEnd');
    await idle(page);
    const moved = await creature(page);
    expect(moved.joints.filter(({ position }) => Math.abs(Math.abs(position[0]) - 0.55) < 0.05 && Math.abs(position[1] - 0.2) < 0.06).length).toBe(2);
    await shown.picture('sketcher-skeleton-phone');

    await setMode(page, 'hitbox');
    const [center] = await onScreen(page, [[0, 0, 0]]) as [Point];
    await hand.trail(ellipse(center, 34, 60));
    await idle(page);
    const [before] = (await creature(page)).hitboxes;
    expect(before).toBeDefined();
    // Two fingers apart make it larger, and their turn turns it.
    await hand.slide([{ x: center.x - 20, y: center.y }, { x: center.x + 20, y: center.y }], [{ x: center.x - 30, y: center.y - 12 }, { x: center.x + 30, y: center.y + 12 }]);
    await idle(page);
    const [after] = (await creature(page)).hitboxes;
    expect((after?.radii[2] ?? 0) / (before?.radii[2] ?? 1)).toBeGreaterThan(1.3);
    expect(after?.orientation).not.toEqual(before?.orientation);
    await shown.picture('sketcher-hitbox-phone');
    await equalsServer(page);
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });

  it('poses, sets keys, plays, and is taken away with its animation', async () => {
    const shown = await openSketcher(workshop, WIDE);
    const { page } = shown;
    const horse = await ready(page, 'Horse');
    await openCreature(page, horse);
    await look(page, 'right');
    await setMode(page, 'pose');
    await idle(page);
    const hand = await Hand.on(page);
    const head = horse.bones.find(({ name }) => name === 'head');
    const nose = horse.joints.find(({ id }) => id === head?.to)?.position as Triple;
    const [from, to] = await onScreen(page, [nose, [nose[0], nose[1] + 0.25, nose[2] + 0.3]]) as [Point, Point];
    await hand.drag(from, to, { steps: 8 });
    await idle(page);
    const posed = await creature(page);
    expect(posed.stance.turns.length).toBeGreaterThan(0);
    const place = await page.evaluate((id) => window.sketcher?.view.bones.joints.get(id)?.toArray(), head?.to ?? 0);
    expect(Math.hypot((place?.[1] ?? 0) - nose[1] - 0.25, (place?.[2] ?? 0) - nose[2] - 0.3)).toBeLessThan(0.12);
    await shown.picture('sketcher-pose-wide');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (window.sketcher?.store.time.value ?? 0) > 0.3);
    await page.getByRole('button', { name: 'Pause' }).click();
    await idle(page);
    // Another program's reader finds the skeleton, the skin and the animation.
    const glb = await exported(page, 'Export as GLB, animated');
    const read = await new GLTFLoader().parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.length) as ArrayBuffer, '');
    const bones: number[] = [];
    read.scene.traverse((part) => {
      if (part instanceof SkinnedMesh) bones.push((part as SkinnedMesh).skeleton.bones.length);
    });
    expect(bones).toEqual([horse.bones.length]);
    expect(read.animations[0]?.duration).toBeCloseTo(horse.keys.at(-1)?.time ?? 0, 3);
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });

  it('has six straight views and a free one, one, two or four at once', async () => {
    const shown = await openSketcher(workshop, WIDE);
    const { page } = shown;
    const spider = await ready(page, 'Spider');
    await openCreature(page, spider);
    await idle(page);
    const ways: Record<string, Triple> = { front: [0, 1, 0], back: [0, -1, 0], right: [-1, 0, 0], left: [1, 0, 0], top: [0, 0, -1], bottom: [0, 0, 1] };
    for (const [face, way] of Object.entries(ways)) {
      await look(page, face);
      const direction = await page.evaluate(() => window.sketcher?.view.viewDirection().toArray());
      expect(direction?.map((part) => Math.round(part) + 0)).toEqual(way.map((part) => part + 0));
      expect(await page.locator(`.open-box [data-face='${face}']`).getAttribute('aria-checked')).toBe('true');
    }
    // In the free view a drag goes round, and draws nothing.
    await look(page, 'free');
    const hand = await Hand.on(page);
    await hand.drag({ x: 300, y: 300 }, { x: 420, y: 340 });
    await idle(page);
    expect((await creature(page)).bones.length).toBe(spider.bones.length);
    await shown.picture('sketcher-free-wide');
    await look(page, 'front');
    await page.keyboard.press('v');
    await page.keyboard.press('v');
    await idle(page);
    expect(await page.locator('.open-box').count()).toBe(4);
    await shown.picture('sketcher-four-wide');
    // A stroke in the third view, which looks from above, lands in its plane.
    const third = await page.evaluate(() => window.sketcher?.view.layout.value[2]);
    const [a, b] = await onScreen(page, [[0, -0.22, 0.42], [0, -0.9, 0.42]], { x: (third?.left ?? 0) + 20, y: (third?.top ?? 0) + 20 }) as [Point, Point];
    await hand.trace(along([a, b]));
    await idle(page);
    const grown = await creature(page);
    expect(grown.bones.length).toBe(spider.bones.length + 1);
    const nose = grown.joints.at(-1)?.position;
    expect(nose?.[1]).toBeCloseTo(-0.9, 1);
    expect(nose?.[2]).toBeCloseTo(0.42, 2);
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });

  it('is quick with 100 bones and 200 hitboxes', async () => {
    const shown = await openSketcher(workshop, WIDE);
    const { page } = shown;
    // A hundred-legged creature: a spine with ribs.
    await page.evaluate(() => {
      const joints: Creature['joints'] = [];
      const bones: Creature['bones'] = [];
      const hitboxes: Creature['hitboxes'] = [];
      const axes: [number, number, number, number] = [0, 0, 0, 1];
      const ranges: Creature['bones'][0]['articulation']['ranges'] = [[-0.5, 0.5], [-0.5, 0.5], [0, 0]];
      const joint = (x: number, y: number, z: number) => joints.push({ id: joints.length + 1, position: [x, y, z] });
      const bone = (from: number, to: number) => {
        const id = bones.length + 1;
        bones.push({ id, name: `b${id}`, from, to, articulation: { axes, ranges } });
        const place = (id: number): Triple => joints[id - 1]?.position ?? [0, 0, 0];
        const [a, b] = [place(from), place(to)];
        for (const part of [0.3, 0.7]) hitboxes.push({ id: hitboxes.length + 1, bone: id, position: [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])], orientation: axes, radii: [0.03, 0.03, 0.03], exponents: [0.8, 0.9], taper: [0.1, 0.1] });
      };
      joint(-2, 0, 1);
      for (let k = 0; k < 34; k++) {
        joint(-2 + (k + 1) * 0.12, 0, 1);
        bone(k === 0 ? 1 : 3 * k - 1, joints.length);
        if (k === 33) continue;
        joint(-2 + (k + 1) * 0.12, 0.3, 0.8);
        joint(-2 + (k + 1) * 0.12, -0.3, 0.8);
        bone(joints.length - 2, joints.length - 1);
        bone(joints.length - 2, joints.length);
      }
      window.sketcher?.store.open({ name: 'Hundred', joints, bones, hitboxes, stance: { position: [0, 0, 0], orientation: [0, 0, 0, 1], turns: [] }, keys: [], mirror: false }, false);
      window.sketcher?.view.lookAtAll(false);
    });
    await idle(page);
    expect((await creature(page)).bones.length).toBe(100);
    expect((await creature(page)).hitboxes.length).toBe(200);
    await setMode(page, 'hitbox');
    await idle(page);
    const hand = await Hand.on(page);
    const [box] = await onScreen(page, [[-2 + 0.3 * 0.12, 0, 1]]) as [Point];
    await hand.click(box);
    await idle(page);
    // A hitbox is moved, one step a frame; shadows, drawing and what the session answers are in it.
    const editing = await page.evaluate(async () => {
      const { store, meter } = window.sketcher ?? {};
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      store?.document.begin('Move');
      for (let k = 0; k < 36; k++) {
        if (k === 6) meter?.reset();
        meter?.work(() => store?.adjustHitbox(1, (hitbox) => ({ ...hitbox, position: [hitbox.position[0] + 0.002, hitbox.position[1], hitbox.position[2]] })));
        await frame();
      }
      store?.document.commit();
      return meter?.summary();
    });
    await idle(page);
    // Physics: how long the session takes for a step.
    await setMode(page, 'physics');
    await page.waitForFunction(() => (window.sketcher?.store.newest?.tick ?? 0) > 30);
    const steps = await page.evaluate(async () => {
      const found: number[] = [];
      for (let k = 0; k < 30; k++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        found.push(window.sketcher?.store.newest?.step ?? 0);
      }
      return found.sort((a, b) => a - b);
    });
    const median = (list: number[]) => list[Math.floor(list.length / 2)] ?? 0;
    keep('sketcher-costs.json', `${JSON.stringify({ editing_ms: editing, step_us: { median: median(steps), most: steps.at(-1) } }, null, 2)}\n`);
    expect(editing?.frames ?? 0).toBeGreaterThan(20);
    expect(median(steps)).toBeGreaterThan(0);
    await shown.close();
  });

  it('shows every mode on a phone, and its help on one screen', async () => {
    const shown = await openSketcher(workshop, PHONE);
    const { page } = shown;
    const humanoid = await ready(page, 'Humanoid');
    await openCreature(page, humanoid);
    await idle(page);
    for (const mode of ['joint', 'pose', 'physics'] as const) {
      await setMode(page, mode);
      if (mode === 'physics') await page.waitForFunction(() => (window.sketcher?.store.places.value.size ?? 0) > 0);
      else await idle(page);
      expect(await shown.picture(`sketcher-${mode}-phone`)).toBeGreaterThan(50);
    }
    await setMode(page, 'skeleton');
    await page.getByRole('button', { name: 'Help' }).click();
    await shown.picture('sketcher-help-phone');
    await page.keyboard.press('Escape');
    expect(shown.complaints).toEqual([]);
    await shown.close();
  });
});
