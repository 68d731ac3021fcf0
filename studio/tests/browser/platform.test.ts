// What every page stands on: contexts, cancelled drags, keys of a motion, links, menus, tokens, half-open lines, broken pages.

import { networkInterfaces } from 'node:os';

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { Scene } from '../../src/apps/lab/messages';
import type { Body } from '../../src/shapes/body';
import { Hand } from './hand';
import { Studio, Window, Workshop } from './program';

const workshop = new Workshop();

/** Opens a ready scene; all of it is computed, drawn and kept. */
async function opened(lab: Window, name: string): Promise<void> {
  await lab.ready(name);
  await lab.idle();
}

const scene = (page: Page) => page.evaluate(() => window.superegg?.store.scene.value as Scene);
const documented = (page: Page) => page.evaluate(() => window.superegg?.store.document.value.value as Scene);
const body = async (page: Page, id: number) => (await scene(page)).bodies.find((other) => other.id === id) as Body;

/** Where a point of the world is in the window. */
function place(page: Page, find: 'middle' | 'handle', id: number, axis = 0): Promise<{ x: number; y: number }> {
  return page.evaluate(([what, wanted, along]) => {
    const stage = window.superegg?.stage;
    const tool = window.superegg?.store.tool.value;
    const kind = tool === 'shape' ? 'radius' : (tool ?? 'move');
    const at = what === 'handle' ? stage?.handlePlace(kind, along) : stage?.bodyView(wanted)?.group.position;
    const box = document.querySelector('.stage')?.getBoundingClientRect();
    const { x, y } = (at && stage?.project(at)) ?? { x: 0, y: 0 };
    return { x: x + (box?.left ?? 0), y: y + (box?.top ?? 0) };
  }, [find, id, axis] as const);
}

describe('the platform under Contact Lab', () => {
  let lab: Window;
  let page: Page;
  let hand: Hand;

  beforeAll(async () => {
    lab = await workshop.openLab({ viewport: { width: 900, height: 620 }, colorScheme: 'light' });
    page = lab.page;
    hand = await Hand.on(page);
  });

  afterEach(() => {
    expect(lab.complaints).toEqual([]);
  });

  afterAll(() => lab.close());

  it('drags real handles along their axis, by the world and by the body', async () => {
    await opened(lab, 'Deep overlap');
    await page.locator('.body-row').nth(1).click();
    // From farther away, so that no handle lies under the tools.
    await page.mouse.move(620, 250);
    await page.mouse.wheel(0, 800);
    await lab.idle();
    const before = await body(page, 2);
    for (const [axes, axis] of [['world', 2], ['local', 2]] as const) {
      await page.evaluate((wanted) => {
        const store = window.superegg?.store;
        if (store) store.axes.value = wanted;
      }, axes);
      await lab.idle();
      const start = await body(page, 2);
      const grip = await place(page, 'handle', 2, axis);
      await hand.drag(grip, { x: grip.x + 4, y: grip.y + 40 });
      await lab.idle();
      const after = await body(page, 2);
      const way = after.position.map((to, k) => to - (start.position[k] ?? 0));
      expect(Math.hypot(...way)).toBeGreaterThan(0.05);
      if (axes === 'world') expect(Math.hypot(way[0] ?? 0, way[1] ?? 0)).toBeLessThan(1e-9);
      else expect(Math.hypot(way[0] ?? 0, way[1] ?? 0)).toBeGreaterThan(1e-3);
    }
    expect((await body(page, 2)).orientation).toEqual(before.orientation);
    await page.evaluate(() => {
      const store = window.superegg?.store;
      if (store) store.axes.value = 'world';
    });
  });

  it('turns by a ring and shapes by a knob', async () => {
    await opened(lab, 'Deep overlap');
    await page.locator('.body-row').nth(1).click();
    for (const [key, field] of [['2', 'orientation'], ['3', 'radii']] as const) {
      await page.locator('.stage').focus();
      await page.keyboard.press(key);
      await lab.idle();
      const before = await body(page, 2);
      const grip = await place(page, 'handle', 2, 0);
      await hand.drag(grip, { x: grip.x + 30, y: grip.y + 18 });
      await lab.idle();
      expect((await body(page, 2))[field]).not.toEqual(before[field]);
    }
    await page.keyboard.press('1');
    await lab.equalsServer();
  });

  it('takes a drag back with Escape, and undo during a drag takes back that drag alone', async () => {
    await opened(lab, 'Deep overlap');
    for (const key of ['Escape', 'Control+z']) {
      const before = await scene(page);
      const at = await place(page, 'middle', 2);
      const [there, farther] = [{ x: at.x + 50, y: at.y - 30 }, { x: at.x + 90, y: at.y - 60 }];
      await hand.grab(at, there);
      await page.waitForFunction((old) => JSON.stringify(window.superegg?.store.scene.value.bodies[1]?.position) !== old, JSON.stringify(before.bodies[1]?.position));
      await page.keyboard.press(key);
      // The hand goes on and lets go: nothing comes of it.
      await hand.drop(there, farther);
      await lab.idle();
      expect(await scene(page)).toEqual(before);
    }
    await lab.equalsServer();
  });

  it('plays a motion without writing the document, and undo after a seek is plain undo', async () => {
    await opened(lab, 'Egg and die');
    const before = await documented(page);
    await page.evaluate(async () => {
      const store = window.superegg?.store;
      if (!store) return;
      store.playing.value = true;
      for (let k = 0; k < 12; k++) await new Promise(requestAnimationFrame);
      store.playing.value = false;
    });
    expect(await page.evaluate(() => window.superegg?.store.time.value)).toBeGreaterThan(0);
    expect(await documented(page)).toEqual(before);
    await page.evaluate(() => window.superegg?.store.seek(1));
    await page.evaluate(() => window.superegg?.store.changeBody(1, (old) => ({ ...old, radii: [2, 2, 2] })));
    await page.evaluate(() => window.superegg?.store.seek(4));
    const elsewhere = await body(page, 2);
    await page.evaluate(() => window.superegg?.store.undo());
    expect(await documented(page)).toEqual(before);
    // Undo does not jump back in time.
    expect(await body(page, 2)).toEqual(elsewhere);
    await lab.equalsServer();
  });

  it('puts a key where a body with keys is moved, and says so', async () => {
    await opened(lab, 'Egg and die');
    await page.evaluate(() => {
      window.superegg?.store.seek(3);
    });
    await page.locator('.body-row').nth(1).click();
    const keys = (await body(page, 2)).keys?.length ?? 0;
    const field = page.getByLabel('Position z');
    await field.fill('1.5');
    await field.press('Enter');
    await page.locator('.notice', { hasText: 'A key at 3.00 s' }).waitFor();
    const moved = await body(page, 2);
    expect([moved.position[2], moved.keys?.length]).toEqual([1.5, keys + 1]);
    // It is still there after having been elsewhere.
    await page.evaluate(() => {
      window.superegg?.store.seek(0);
      window.superegg?.store.seek(3);
    });
    expect((await body(page, 2)).position[2]).toBe(1.5);
    await lab.equalsServer();
  });

  it.each([['wide', 1900, 1100], ['not so wide', 900, 620], ['as narrow as a phone', 390, 760]])('works in four views of a window that is %s, each along its own plane', async (kind, width, height) => {
    const size = page.viewportSize() ?? { width: 1280, height: 800 };
    await page.setViewportSize({ width, height });
    await opened(lab, 'Deep overlap');
    // From some side the other body would be in front.
    await page.evaluate(() => {
      window.superegg?.store.changeBody(1, (old) => ({ ...old, hidden: true }));
      window.superegg?.store.select(2);
    });
    await page.locator('.stage').focus();
    await page.keyboard.press('v');
    await page.locator('.viewport').nth(3).waitFor();
    await lab.idle();
    for (const [index, name] of ['Perspective', 'Top', 'Front', 'Right'].entries()) {
      const before = await body(page, 2);
      const box = await page.locator('.viewport', { hasText: name }).boundingBox();
      if (!box) throw new Error(`there is no view called ${name}`);
      expect(Math.min(box.width, box.height)).toBeGreaterThan(100);
      // No panel lies over any of it.
      const covered = await page.evaluate(({ x, y, width: wide, height: high }) => {
        const places = [0.01, 0.25, 0.5, 0.75, 0.99].flatMap((across) => [0.01, 0.25, 0.5, 0.75, 0.99].map((down) => document.elementFromPoint(x + across * wide, y + down * high)));
        return places.filter((found) => !found?.matches('canvas.stage')).map((found) => found?.className);
      }, box);
      expect(covered).toEqual([]);
      if (name === 'Perspective') continue;
      const at = await page.evaluate(([x, y]) => {
        const stage = window.superegg?.stage;
        const canvas = document.querySelector('.stage')?.getBoundingClientRect();
        stage?.enter(x - (canvas?.left ?? 0), y - (canvas?.top ?? 0));
        const middle = stage?.bodyView(2)?.group.position;
        const seen = (middle && stage.project(middle)) ?? { x: 0, y: 0 };
        return { x: seen.x + (canvas?.left ?? 0), y: seen.y + (canvas?.top ?? 0) };
      }, [box.x + box.width / 2, box.y + box.height / 2] as const);
      // Within its own view, and dragged within it.
      expect([at.x > box.x, at.x < box.x + box.width, at.y > box.y, at.y < box.y + box.height]).toEqual([true, true, true, true]);
      // By its middle, where the handle along the view would be seen from its end.
      await hand.drag(at, { x: at.x + 14, y: at.y + 10 });
      await lab.idle();
      const after = await body(page, 2);
      const way = after.position.map((to, k) => Math.abs(to - (before.position[k] ?? 0)));
      // Top looks along z, Front along y, Right along x.
      const depth = 3 - index;
      for (const k of [0, 1, 2]) {
        if (k === depth) expect(way[k]).toBeLessThan(1e-9);
        else expect(way[k]).toBeGreaterThan(0.02);
      }
    }
    expect(await lab.picture(`platform-four-views-${kind.replaceAll(' ', '-')}`)).toBeGreaterThan(200);
    await page.locator('.stage').focus();
    await page.keyboard.press('v');
    await page.locator('.viewport').first().waitFor({ state: 'detached' });
    await page.setViewportSize(size);
    await lab.equalsServer();
  });

  it('keeps its context however often bodies are chosen', async () => {
    await opened(lab, 'Egg and die');
    for (let k = 0; k < 40; k++) await page.locator('.body-row').nth(k % 2).click();
    await lab.idle();
    const alive = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.stage');
      return canvas?.getContext('webgl2')?.isContextLost() === false;
    });
    expect(alive).toBe(true);
    expect(await lab.picture('platform-chosen')).toBeGreaterThan(200);
  });

  it('goes by steps when it snaps, and looks from the side that is pressed on the cube', async () => {
    await opened(lab, 'Deep overlap');
    await page.locator('.stage').focus();
    await page.keyboard.press('g');
    const at = await place(page, 'middle', 2);
    await hand.drag(at, { x: at.x + 57, y: at.y - 31 });
    await page.keyboard.press('g');
    const { position } = await body(page, 2);
    for (const along of position) expect(10 * along).toBeCloseTo(Math.round(10 * along), 6);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Look from: Right' }).click();
    await lab.idle();
    const [azimuth, elevation] = await page.evaluate(() => [window.superegg?.stage?.orbit.azimuth, window.superegg?.stage?.orbit.elevation]);
    expect([azimuth, elevation]).toEqual([0, 0]);
    // Back, so that the next tests see bodies beside and not behind each other.
    await page.evaluate(() => window.superegg?.stage?.orbit.look(-0.9, 0.42));
  });

  it('chooses several bodies and moves them together', async () => {
    await opened(lab, 'A nest');
    const before = await scene(page);
    await page.locator('.body-row').nth(0).click();
    await page.locator('.body-row').nth(1).click({ modifiers: ['Shift'] });
    await lab.idle();
    const at = await place(page, 'middle', 1);
    await hand.drag(at, { x: at.x + 30, y: at.y - 45 });
    await lab.idle();
    const after = await scene(page);
    const way = (index: number) => (after.bodies[index]?.position ?? []).map((to, k) => to - (before.bodies[index]?.position[k] ?? 0));
    expect(Math.hypot(...way(0))).toBeGreaterThan(0.1);
    for (const k of [0, 1, 2]) expect(way(1)[k]).toBeCloseTo(way(0)[k] ?? NaN, 9);
    expect(way(2)).toEqual([0, 0, 0]);
    await page.keyboard.press('Control+z');
    expect(await scene(page)).toEqual(before);
  });

  it('hides, locks and colours a body from its menu and panel', async () => {
    await opened(lab, 'A nest');
    await lab.idle();
    const at = await place(page, 'middle', 3);
    await hand.click(at, { button: 'right' });
    await page.locator('.context-menu').waitFor();
    await lab.picture('platform-context-menu');
    // The menu is of the body that was pressed.
    expect(await page.evaluate(() => window.superegg?.store.selection.value)).toBe(3);
    expect(await page.locator('.context-menu [role=menuitem]').allInnerTexts()).toEqual(expect.arrayContaining([expect.stringContaining('Duplicate'), expect.stringContaining('Remove')]));
    await page.keyboard.press('Escape');
    await page.locator('.body-row').nth(2).click();
    await page.getByLabel('Hide it').click();
    await lab.idle();
    const pairs = await page.evaluate(() => window.superegg?.store.contacts.value?.pairs.filter((pair) => pair.a === 3 || pair.b === 3).length);
    expect(pairs).toBe(0);
    await page.getByLabel('Show Egg 3').click();
    await page.getByLabel('Lock it').click();
    await page.getByLabel('Colour').fill('#336699');
    await lab.idle();
    expect(await body(page, 3)).toMatchObject({ locked: true, colour: '#336699' });
    const still = await body(page, 3);
    await hand.drag(at, { x: at.x + 40, y: at.y });
    await lab.idle();
    expect((await body(page, 3)).position).toEqual(still.position);
    await lab.equalsServer();
  });

  it('shares a scene by a link that carries it', async () => {
    await opened(lab, 'Needle and coin');
    const shared = await documented(page);
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await page.getByRole('menuitem', { name: /link that carries/ }).click();
    await page.locator('.notice', { hasText: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toContain('#/contact-lab?share=');
    const other = await Window.open(workshop.browser, link, { viewport: { width: 700, height: 500 } });
    await other.page.waitForFunction((name) => window.superegg?.store.scene.value.name === name, shared.name);
    expect(await documented(other.page)).toEqual(shared);
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('exports OBJ, GLB and PNG', async () => {
    await opened(lab, 'Egg and die');
    for (const [label, start] of [['Export as OBJ', 'o Die\nv '], ['Export as GLB', 'glTF'], ['Export the view as PNG', '\u0089PNG']] as const) {
      await page.getByRole('button', { name: 'File', exact: true }).click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: label }).click()]);
      const stream = await download.createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      expect(bytes.toString('latin1', 0, start.length)).toBe(start);
      expect(bytes.length).toBeGreaterThan(5000);
    }
  });

  it('shows a sentence instead of nothing when a page breaks', async () => {
    const broken = await workshop.open('', { viewport: { width: 700, height: 500 } });
    // All of the start page is there before the line breaks.
    await broken.page.locator('.card-readout').waitFor();
    await broken.page.locator('.pong-picture').waitFor();
    await broken.page.route('**/*.js', (route) => route.abort());
    await broken.page.evaluate(() => {
      location.hash = '#/cloth-table';
    });
    await broken.page.getByRole('heading', { name: 'This page broke' }).waitFor();
    await broken.page.getByRole('link', { name: 'Go to the start page' }).click();
    await broken.page.locator('.card').first().waitFor();
    await broken.close();
  });
});

describe('fingers', () => {
  it('undo with a tap of two, do it again with three, and look at everything with a double tap', async () => {
    const lab = await workshop.openLab({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    const { page } = lab;
    const hand = await Hand.on(page);
    const before = await scene(page);
    await page.evaluate(() => window.superegg?.store.changeBody(1, (old) => ({ ...old, radii: [2, 2, 2] })));
    const beside = [{ x: 40, y: 330 }, { x: 90, y: 340 }, { x: 140, y: 330 }];
    await hand.tap(beside.slice(0, 2));
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies[0]?.radii?.[0] === 1);
    expect(await scene(page)).toEqual(before);
    await hand.tap(beside);
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies[0]?.radii?.[0] === 2);
    // A double tap looks at everything again.
    const far = await page.evaluate(() => {
      const orbit = window.superegg?.stage?.orbit;
      orbit?.zoom(0.2);
      return orbit?.distance ?? 0;
    });
    await hand.tap(beside.slice(0, 1));
    await hand.tap(beside.slice(0, 1));
    await page.waitForFunction((before) => (window.superegg?.stage?.orbit.distance ?? before) < before / 2, far);
    expect(lab.complaints).toEqual([]);
    await lab.close();
  });
});

describe('on the network', () => {
  const address = Object.values(networkInterfaces()).flat().find((face) => face?.family === 'IPv4' && !face.internal)?.address;

  it.skipIf(!address)('the printed link opens the studio without a clipboard or a cookie, and others are told why not', async () => {
    const studio = await Studio.start('0', ['--host', address ?? '']);
    try {
      const lan = await Window.open(workshop.browser, studio.link, { viewport: { width: 860, height: 580 } });
      await lan.page.locator('.card-readout').waitFor();
      expect(lan.page.url()).not.toContain('token');
      expect(await lan.page.context().cookies()).toEqual([]);
      expect(await lan.page.evaluate(() => [window.isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
      // The token is known to this origin from here on.
      await lan.page.goto(`${new URL(studio.link).origin}/#/contact-lab`, { waitUntil: 'commit' });
      await lan.page.waitForFunction(() => window.superegg?.store.settled.value === true);
      await lan.page.locator('.stage').focus();
      await lan.page.keyboard.press('Control+c');
      await lan.page.locator('.notice', { hasText: 'Copied' }).waitFor();
      const stranger = await Window.open(workshop.browser, `${new URL(studio.link).origin}/#/contact-lab`, { viewport: { width: 860, height: 580 } });
      await stranger.page.locator('.lost', { hasText: 'token' }).waitFor();
      await stranger.close();
      await lan.close();
    } finally {
      await studio.stop();
    }
  });
});

describe('a line whose other end is gone', () => {
  it('is given up and made anew, with nothing lost', async () => {
    const lab = await workshop.open('#/contact-lab', { viewport: { width: 700, height: 500 } });
    const { page } = lab;
    await page.waitForFunction(() => window.superegg?.store.settled.value === true);
    await page.evaluate(() => window.superegg?.store.changeBody(1, (old) => ({ ...old, radii: [0.5, 0.5, 0.5] })));
    await lab.settled();
    // From here on nothing is heard, though the line stands: time goes on without answers.
    await page.clock.install();
    await page.evaluate(() => {
      const silent = window.superegg?.store.link as unknown as { transport: { socket: WebSocket | null } };
      const { socket } = silent.transport;
      if (socket) {
        socket.onmessage = null;
        socket.send = () => undefined;
      }
      // Told from a new one by a mark.
      Object.assign(socket ?? {}, { old: true });
    });
    // The second sign of life that is missed ends it; the new line is not yet due for one.
    await page.clock.runFor(25_000);
    await page.clock.resume();
    await page.waitForFunction(() => {
      const store = window.superegg?.store;
      const { socket } = (store?.link as unknown as { transport: { socket: (WebSocket & { old?: boolean }) | null } }).transport;
      return socket !== null && socket.old !== true && store?.link.state.value === 'open' && store.settled.value;
    });
    await lab.equalsServer();
    expect((await body(page, 1)).radii).toEqual([0.5, 0.5, 0.5]);
    await lab.close();
  });
});
