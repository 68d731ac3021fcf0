// The whole program in a real browser: every page starts without complaints, draws, reacts to mouse, keys and fingers,
// and shows what the server has.

import { readFileSync } from 'node:fs';

import type { FileChooser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { Scene } from '../../src/apps/lab/messages';
import type { Body } from '../../src/shapes/body';
import { Hand } from './hand';
import { query, Studio, Window, Workshop } from './program';

const workshop = new Workshop();

/** Starts a test from a known scene, with nothing chosen. */
async function reset(lab: Window): Promise<void> {
  await lab.page.evaluate(() => {
    const store = window.superegg?.store;
    const scene = store?.welcome.value?.scenes[0];
    if (store && scene) store.open(scene);
  });
  await lab.settled();
}

/** What the menu for new bodies offers. */
async function addLabels(page: Page): Promise<string[]> {
  await page.getByLabel('Add a body').click();
  const labels = await page.locator('.menu-list .menu-item span').allInnerTexts();
  await page.getByLabel('Add a body').click();
  await page.locator('.menu-list').waitFor({ state: 'detached' });
  return labels;
}

/** What an action opens to choose a file. */
async function fileDialog(page: Page, act: () => Promise<void>): Promise<FileChooser> {
  const opened = page.waitForEvent('filechooser');
  // Waiting asks the page to hand its dialogs over, but keys and clicks take another road to it and may overtake that
  // request. What is evaluated comes after it.
  await page.evaluate(() => null);
  await act();
  return opened;
}

function scene(page: Page): Promise<Scene> {
  return page.evaluate(() => window.superegg?.store.scene.value as Scene);
}

async function body(page: Page, id: number): Promise<Body> {
  return (await scene(page)).bodies.find((other) => other.id === id) as Body;
}

/** Where a body's middle is in the window. */
function middle(page: Page, id: number): Promise<{ x: number; y: number }> {
  return page.evaluate((wanted) => {
    const stage = window.superegg?.stage;
    const at = stage?.bodyView(wanted)?.group.position;
    const box = document.querySelector('.stage')?.getBoundingClientRect();
    const { x, y } = (at && stage.project(at)) ?? { x: 0, y: 0 };
    return { x: x + (box?.left ?? 0), y: y + (box?.top ?? 0) };
  }, id);
}

const view = (page: Page) =>
  page.evaluate(() => {
    const { azimuth, elevation, distance, target } = window.superegg?.stage?.orbit ?? { azimuth: 0, elevation: 0, distance: 0, target: { x: 0 } };
    return { azimuth, elevation, distance, x: target.x };
  });

describe('the start page', () => {
  it('shows every app with a living picture', async () => {
    const start = await workshop.open('', { viewport: { width: 700, height: 560 } });
    await start.page.locator('.card-readout').waitFor();
    expect(await start.page.locator('.card').count()).toBe(4);
    await start.page.locator('.pong-picture').waitFor();
    expect(await start.picture('start')).toBeGreaterThan(200);
    expect(await start.page.locator('.card').first().getAttribute('href')).toBe('#/contact-lab');
    expect(start.complaints).toEqual([]);
    await start.close();
  });
});

describe('Contact Lab with mouse and keys', () => {
  let lab: Window;
  let page: Page;
  let hand: Hand;

  beforeAll(async () => {
    lab = await workshop.openLab({ viewport: { width: 860, height: 580 }, colorScheme: 'light' });
    page = lab.page;
    hand = await Hand.on(page);
  });

  afterEach(() => {
    expect(lab.complaints).toEqual([]);
  });

  afterAll(() => lab.close());

  it('draws the opening scene and shows its certified distance', async () => {
    expect(await lab.picture('lab-light')).toBeGreaterThan(300);
    // A readable number first, nine decimals on request.
    expect(await page.locator('[data-testid=distance]').innerText()).toMatch(/^−?[\d.]{1,6}\s*m{1,2}$/);
    await page.locator('.distance-toggle').click();
    const text = await page.locator('[data-testid=distance]').innerText();
    const shown = Number(text.replaceAll('\u2009', '').replace('−', '-').replace(/\s*m$/, ''));
    const exact = await page.evaluate(() => window.superegg?.store.contact.value?.answer?.distance);
    expect(shown).toBeCloseTo(exact ?? NaN, 8);
    expect(await page.locator('.proof').innerText()).toContain('certified');
    expect(await page.locator('.badge').allInnerTexts()).toEqual(['convex', 'convex']);
    await lab.equalsServer();
  });

  it('moves a body with the mouse, and takes it back', async () => {
    await reset(lab);
    const before = await body(page, 2);
    const at = await middle(page, 2);
    await hand.drag(at, { x: at.x + 40, y: at.y - 25 });
    const after = await body(page, 2);
    expect(after.position).not.toEqual(before.position);
    const now = await middle(page, 2);
    expect(Math.hypot(now.x - at.x - 40, now.y - at.y + 25)).toBeLessThan(3);
    await lab.equalsServer();
    await page.keyboard.press('Control+z');
    expect((await body(page, 2)).position).toEqual(before.position);
    await page.keyboard.press('Control+Shift+z');
    expect((await body(page, 2)).position).toEqual(after.position);
    await lab.equalsServer();
  });

  it('rolls a body with the right button', async () => {
    await reset(lab);
    const at = await middle(page, 1);
    await hand.drag(at, { x: at.x + 50, y: at.y + 10 }, { button: 'right' });
    const { orientation, position } = await body(page, 1);
    const [first] = (await page.evaluate(() => window.superegg?.store.welcome.value?.scenes[0]?.bodies)) ?? [];
    expect(orientation).not.toEqual(first?.orientation);
    expect(position).toEqual(first?.position);
  });

  it('turns and zooms the view', async () => {
    // With nothing chosen, so that no panel lies right of the bodies.
    await reset(lab);
    const before = await view(page);
    await hand.drag({ x: 620, y: 250 }, { x: 660, y: 270 });
    // The camera follows with the next frame.
    await expect.poll(async () => (await view(page)).azimuth).toBeLessThan(before.azimuth);
    const turned = await view(page);
    await page.mouse.move(620, 250);
    await page.mouse.wheel(0, -300);
    await expect.poll(async () => (await view(page)).distance).toBeLessThan(turned.distance);
    await page.keyboard.press('f');
  });

  it('is worked with keys', async () => {
    await reset(lab);
    await page.locator('.stage').focus();
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    expect(await page.evaluate(() => window.superegg?.store.selection.value)).toBe(2);
    const before = await body(page, 2);
    for (const key of ['ArrowRight', 'ArrowUp', ']']) await page.keyboard.press(key);
    const after = await body(page, 2);
    expect(after.position).not.toEqual(before.position);
    expect(after.orientation).not.toEqual(before.orientation);
    await page.keyboard.press('+');
    expect((await body(page, 2)).radii?.[0]).toBeCloseTo(1.05 * (after.radii?.[0] ?? 0), 6);
    await page.keyboard.press('-');
    expect((await body(page, 2)).radii?.[0]).toBeCloseTo(after.radii?.[0] ?? 0, 6);
    await page.keyboard.press('3');
    expect(await page.evaluate(() => window.superegg?.store.tool.value)).toBe('shape');
    await page.keyboard.press('Control+d');
    expect((await scene(page)).bodies).toHaveLength(3);
    await page.keyboard.press('Delete');
    expect((await scene(page)).bodies).toHaveLength(2);
    await page.keyboard.press('1');
    await lab.equalsServer();
    // With nothing chosen the same keys look around.
    await page.keyboard.press('Escape');
    const looked = await view(page);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('PageUp');
    const turned = await view(page);
    expect(turned.azimuth).toBeLessThan(looked.azimuth);
    expect(turned.distance).toBeLessThan(looked.distance);
    await page.keyboard.press('Home');
  });

  it('chooses exponents by pressing and sliding over the grid', async () => {
    await reset(lab);
    await page.locator('.body-row').nth(1).click();
    const field = page.locator('.shape .pad-field');
    const box = await field.boundingBox();
    if (!box) throw new Error('the grid is not shown');
    const place = (x: number, y: number) => ({ x: box.x + x * box.width, y: box.y + y * box.height });
    await hand.drag(place(0.5, 0.5), place(0.15, 0.9), { over: '.pad-field' });
    const [e1, e2] = (await body(page, 2)).exponents ?? [0, 0];
    expect([e1, e2]).toEqual([expect.closeTo(0.3, 1), expect.closeTo(0.2, 1)]);
    await lab.equalsServer();
    await lab.picture('lab-shape');
    // The whole slide is one step back.
    await page.locator('.stage').focus();
    await page.keyboard.press('Control+z');
    expect((await body(page, 2)).exponents).toEqual([1, 1]);
  });

  it('shows penetration in red and keeps a typed number', async () => {
    await reset(lab);
    await page.locator('.body-row').nth(1).click();
    for (const [axis, value] of [['x', '0.6'], ['y', '0'], ['z', '0.2']] as const) {
      const field = page.getByLabel(`Position ${axis}`);
      await field.fill(value);
      await field.press('Enter');
    }
    await lab.settled();
    expect((await body(page, 2)).position).toEqual([0.6, 0, 0.2]);
    expect(await page.locator('.status').innerText()).toBe('Overlapping');
    const colour = await page.locator('.distance').evaluate((element) => getComputedStyle(element).color);
    expect(colour).toBe('rgb(179, 36, 43)');
    await lab.picture('lab-overlap');
  });

  it('copies lines that the command line answers alike, and reads them back', async () => {
    await reset(lab);
    await page.locator('.stage').focus();
    await page.keyboard.press('Control+c');
    await page.locator('.notice').waitFor();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const [answer] = await query(line);
    const exact = await page.evaluate(() => window.superegg?.store.contact.value?.answer?.distance);
    expect(answer?.distance).toBe(exact);
    await page.keyboard.press('Control+v');
    await page.waitForFunction(() => window.superegg?.store.scene.value.name === 'Pasted');
    await lab.settled();
    expect(await page.evaluate(() => window.superegg?.store.contact.value?.answer?.distance)).toBe(exact);
    await lab.equalsServer();
  });

  it('plots a motion, follows it, and tells how the answer was found', async () => {
    await reset(lab);
    // The plot of this scene's six seconds: that of the scene before may still be there.
    await page.waitForFunction(() => {
      const times = window.superegg?.store.plot.value?.times ?? [];
      return times.length > 100 && Math.abs((times[times.length - 1] ?? 0) - 6) < 0.1;
    });
    // The page shows the new plot with its next frames.
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    const chart = await page.locator('.timeline .chart svg').boundingBox();
    if (!chart) throw new Error('there is no chart');
    await page.mouse.click(chart.x + chart.width / 2, chart.y + chart.height / 2);
    expect(await page.evaluate(() => window.superegg?.store.time.value)).toBeCloseTo(3, 0);
    await lab.equalsServer();
    const [shown, plotted] = await page.evaluate(() => {
      const store = window.superegg?.store;
      const { plot, time, contact } = store ?? {};
      const near = plot?.value?.times.findIndex((at) => at >= (time?.value ?? 0)) ?? 0;
      return [contact?.value?.answer?.distance ?? NaN, plot?.value?.distances[near] ?? NaN];
    });
    expect(Math.abs(shown - plotted)).toBeLessThan(0.05);
    await page.locator('.dock-tabs button').nth(1).click();
    await page.locator('[data-testid=trace-text]').waitFor();
    const steps = await page.evaluate(() => window.superegg?.store.trace.value?.steps.length ?? 0);
    expect(steps).toBeGreaterThan(0);
    await page.keyboard.press(',');
    expect(await page.evaluate(() => window.superegg?.store.step.value)).toBe(Math.max(steps - 2, 0));
    await page.locator('.dock-tabs button').nth(0).click();
  });

  it('marks the moments of contact and goes to them', async () => {
    await reset(lab);
    await page.waitForFunction(() => (window.superegg?.store.plot.value?.impacts.length ?? 0) > 0);
    const impacts = await page.evaluate(() => window.superegg?.store.plot.value?.impacts ?? []);
    expect(await page.locator('.chart-flag').count()).toBe(impacts.length);
    expect(await page.locator('[data-testid=moments]').innerText()).toContain(`${impacts[0]?.time.toFixed(4)} s`);
    await page.locator('.stage').focus();
    await page.keyboard.press('c');
    expect(await page.evaluate(() => window.superegg?.store.time.value)).toBeCloseTo(impacts[0]?.time ?? NaN, 9);
    await lab.equalsServer();
    // There the bodies touch: never late, and no earlier than a millionth of their sizes.
    const distance = await page.evaluate(() => window.superegg?.store.contact.value?.answer?.distance ?? NaN);
    expect(Math.abs(distance)).toBeLessThan(1e-5);
    await lab.picture('lab-impact');
  });

  it('shows the λ iteration of a point and an egg guess by guess', async () => {
    await lab.ready('A point over a pillow');
    await page.locator('.dock-tabs button').nth(1).click();
    await page.locator('[data-testid=trace-text]').waitFor();
    await page.getByLabel('First step').click();
    expect(await page.locator('[data-testid=trace-text]').innerText()).toContain('Radial guess');
    await page.getByLabel('Step on').click();
    expect(await page.locator('[data-testid=trace-text]').innerText()).toMatch(/Guess 1, λ = \d/);
    expect(await page.locator('.trace .chart-legend').innerText()).toContain('λ');
    await lab.picture('lab-lambda');
    await page.locator('.dock-tabs button').nth(0).click();
  });

  it('adds a body of every type, and says what each pair is', async () => {
    await reset(lab);
    const labels = await addLabels(page);
    expect(labels).toHaveLength(19);
    for (const label of labels.filter((other) => !other.startsWith('From a file'))) {
      await page.getByLabel('Add a body').click();
      await page.getByRole('menuitem', { name: label, exact: true }).click();
      // An example mesh is sent first.
      await page.waitForFunction(() => window.superegg?.store.selection.value !== null);
    }
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 20);
    await lab.equalsServer();
    const types = (await scene(page)).bodies.map((other) => other.type);
    expect(new Set(types).size).toBe(18);
    const pairs = await page.evaluate(() => window.superegg?.store.contacts.value?.pairs ?? []);
    expect(pairs).toHaveLength((20 * 19) / 2);
    for (const pair of pairs) expect(pair.answer !== null || (pair.refusal ?? '').length > 10).toBe(true);
    expect(pairs.filter((pair) => pair.answer !== null).length).toBeGreaterThan(55);
    await page.evaluate(() => window.superegg?.stage?.frame(null, false));
    expect(await lab.picture('lab-all-types')).toBeGreaterThan(400);
  });

  it('puts a box, a rounded cylinder and a cone in contact, by sliders, numbers and hands', async () => {
    await reset(lab);
    await page.evaluate(() => {
      window.superegg?.store.change((scene) => ({ ...scene, name: 'Exact bodies', bodies: [] }), 'Clear');
    });
    const set = async (label: string, value: string) => {
      const field = page.getByLabel(label, { exact: true });
      await field.fill(value);
      await field.press('Enter');
    };
    // The cylinder stands on the box, to the last digit; so does the cone, beside it.
    for (const [label, numbers] of [
      ['Box', { 'Width value': '1.2', 'Depth value': '0.9', 'Height value': '0.4', 'Position x': '0', 'Position y': '0', 'Position z': '0.4' }],
      ['Cylinder', { 'Radius value': '0.35', 'Height value': '0.5', 'Rounding value': '0.15', 'Position x': '-0.4', 'Position y': '0', 'Position z': '1.45' }],
      ['Cone', { 'Radius value': '0.6', 'Height value': '0.7', 'Position x': '0.65', 'Position y': '0', 'Position z': '1.5' }],
    ] as const) {
      await page.getByLabel('Add a body').click();
      await page.getByRole('menuitem', { name: label, exact: true }).click();
      for (const [name, value] of Object.entries(numbers)) await set(name, value);
    }
    await lab.equalsServer();
    const [box, cylinder, cone] = (await scene(page)).bodies;
    expect(box).toMatchObject({ type: 'box', half_extents: [1.2, 0.9, 0.4], rounding: 0 });
    expect(cylinder).toMatchObject({ type: 'cylinder', radius: 0.35, half_height: 0.5, rounding: 0.15 });
    expect(cone).toMatchObject({ type: 'cone', radius: 0.6, half_height: 0.7 });
    // Beyond its range a slider stays at its end.
    await set('Rounding value', '-1');
    expect((await scene(page)).bodies[2]?.rounding).toBe(0);
    const answers = () => page.evaluate(() => window.superegg?.store.contacts.value?.pairs.map((pair) => pair.answer) ?? []);
    const found = await answers();
    expect(found.map((answer) => typeof answer?.lower)).toEqual(['number', 'number', 'number']);
    expect(found[0]?.distance).toBeCloseTo(0, 8);
    expect(found[1]?.distance).toBeCloseTo(0, 8);
    expect(found[2]?.distance).toBeGreaterThan(0);
    expect(await page.locator('.badge').allInnerTexts()).toEqual(['convex', 'convex', 'convex']);
    await page.evaluate(() => window.superegg?.stage?.frame(null, false));
    await lab.idle();
    expect(await lab.picture('lab-exact-bodies')).toBeGreaterThan(300);

    // The command line reads the same bodies and gives the same distances.
    await page.locator('.stage').focus();
    await page.keyboard.press('Control+c');
    await page.locator('.notice', { hasText: 'Copied' }).waitFor();
    const lines = await page.evaluate(() => navigator.clipboard.readText());
    expect((await query(lines)).map((answer) => answer.distance)).toEqual(found.map((answer) => answer?.distance));

    // A hand moves the cone; its link carries all three.
    const at = await middle(page, 3);
    await hand.drag(at, { x: at.x + 40, y: at.y - 30 });
    await lab.equalsServer();
    const shared = await scene(page);
    expect(shared.bodies[2]?.position).not.toEqual(cone?.position);
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await page.getByRole('menuitem', { name: /link that carries/ }).click();
    await page.locator('.notice', { hasText: 'Copied: the link' }).waitFor();
    const other = await Window.open(workshop.browser, await page.evaluate(() => navigator.clipboard.readText()), { viewport: { width: 700, height: 500 } });
    await other.page.waitForFunction(() => window.superegg?.store.scene.value.name === 'Exact bodies');
    expect(await scene(other.page)).toEqual(shared);
    await other.equalsServer();
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('says which field of a hull is refused, and keeps the scene as it was', async () => {
    await reset(lab);
    await page.getByLabel('Add a body').click();
    await page.getByRole('menuitem', { name: 'Convex hull of points', exact: true }).click();
    await page.getByLabel('Add a corner').click();
    await lab.equalsServer();
    expect((await body(page, 3)).points).toHaveLength(7);
    // All corners in one plane span no volume.
    await page.evaluate(() => {
      window.superegg?.store.changeBody(3, (old) => ({ ...old, points: old.points?.map(([x, y]) => [x, y, 0] as [number, number, number]) ?? [] }));
    });
    await page.locator('.notice.error', { hasText: 'points' }).waitFor();
    await lab.equalsServer();
    expect((await body(page, 3)).points?.some(([, , z]) => z !== 0)).toBe(true);
  });

  it('shapes a ring and an hourglass by their own sliders and handles', async () => {
    await lab.ready('The family');
    for (const [name, slider, field] of [['Ring', 'Ring', 'hole'], ['Hourglass', 'Rim', 'height']] as const) {
      await page.locator('.body-row', { hasText: name }).click();
      const before = await page.evaluate(() => window.superegg?.store.selected.value);
      const value = page.getByLabel(`${slider} value`);
      await value.fill('2');
      await value.press('Enter');
      const after = await page.evaluate(() => window.superegg?.store.selected.value);
      expect(before?.[field]).not.toBe(2);
      expect(after?.[field]).toBe(2);
    }
    await lab.equalsServer();
  });

  it('joins bodies to a compound and takes it apart', async () => {
    await reset(lab);
    const before = await scene(page);
    await page.locator('.body-row').nth(0).click();
    await page.getByLabel('Join with the nearest body').click();
    await lab.equalsServer();
    const [compound] = (await scene(page)).bodies;
    expect(compound).toMatchObject({ type: 'compound', parts: [{ type: 'superellipsoid' }, { type: 'superovoid' }] });
    expect(await page.locator('.badge').innerText()).toBe('2 parts');
    await page.getByLabel('Take apart, to shape its parts').click();
    await lab.equalsServer();
    const after = await scene(page);
    expect(after.bodies.map((other) => other.type)).toEqual(before.bodies.map((other) => other.type));
    for (const [index, other] of after.bodies.entries()) {
      for (const axis of [0, 1, 2] as const) expect(other.position[axis]).toBeCloseTo(before.bodies[index]?.position[axis] ?? NaN, 9);
    }
  });

  it('copies every type of the format for the command line', async () => {
    for (const name of ['Through the ring', 'A molar and an olive']) {
      await lab.ready(name);
      await page.locator('.stage').focus();
      await page.keyboard.press('Control+c');
      await page.locator('.notice').waitFor();
      const [answer] = await query(await page.evaluate(() => navigator.clipboard.readText()));
      expect(answer?.distance).toBe(await page.evaluate(() => window.superegg?.store.contact.value?.answer?.distance));
      await page.keyboard.press('Control+v');
      await page.waitForFunction(() => window.superegg?.store.scene.value.name === 'Pasted');
      await lab.equalsServer();
    }
  });

  it('opens a mesh from a file, saves the scene with it, and opens that again', async () => {
    await reset(lab);
    const tetrahedron = Buffer.from('v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n');
    await page.getByLabel('Add a body').click();
    const chooser = await fileDialog(page, () => page.getByText('From a file').click());
    await chooser.setFiles({ name: 'tetra.obj', mimeType: 'model/obj', buffer: tetrahedron });
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 3);
    await lab.equalsServer();
    expect(await page.locator('.body-row').nth(2).innerText()).toContain('4 triangles');
    const saved = await scene(page);

    await page.locator('.stage').focus();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
    expect(download.suggestedFilename()).toBe('egg-and-die.superegg.json');
    const file = await download.path();
    await reset(lab);
    const again = await fileDialog(page, () => page.keyboard.press('Control+o'));
    await again.setFiles({ name: 'scene.superegg.json', mimeType: 'application/json', buffer: readFileSync(file) });
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 3);
    await lab.equalsServer();
    expect((await scene(page)).bodies).toEqual(saved.bodies);
  });

  it('takes a mesh that is dropped, and refuses a broken one in words', async () => {
    await reset(lab);
    const drop = (name: string, content: string) =>
      page.evaluate(([file, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text ?? ''], file ?? ''));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
      }, [name, content]);
    await drop('broken.obj', 'v 0 0\n');
    await page.locator('.notice.error').waitFor();
    expect(await page.locator('.notice').innerText()).toContain('broken.obj: line 1');
    expect((await scene(page)).bodies).toHaveLength(2);
    await drop('one.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 3);
    await lab.equalsServer();
    // Another file of the same name is another mesh, also after a reload.
    await drop('one.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n');
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 4);
    await lab.equalsServer();
    const pieces = async () => {
      const [files, facts] = await page.evaluate(() => {
        const { scene, contacts } = window.superegg?.store ?? {};
        return [scene?.value.bodies.flatMap(({ file }) => file ?? []), contacts?.value?.bodies.map((body) => body.pieces)] as const;
      });
      return { files, triangles: facts?.slice(2) };
    };
    expect(await pieces()).toEqual({ files: ['one.obj', 'one-2.obj'], triangles: [1, 2] });
    await lab.idle();
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 4);
    await lab.equalsServer();
    expect(await pieces()).toEqual({ files: ['one.obj', 'one-2.obj'], triangles: [1, 2] });
    await drop('noise.superegg.json', '{}');
    await page.locator('.notice.error', { hasText: 'not a scene' }).waitFor();
  });

  it('follows a pen', async () => {
    await reset(lab);
    const before = await body(page, 2);
    const at = await middle(page, 2);
    // Listening before the pen comes: a browser may take input before what it was asked earlier.
    const kind = await page.evaluateHandle(() => {
      const seen = { pointer: '' };
      document.querySelector('.stage')?.addEventListener('pointerup', (event) => {
        seen.pointer = (event as PointerEvent).pointerType;
      }, { once: true });
      return seen;
    });
    await hand.drag(at, { x: at.x + 30, y: at.y + 18 }, { kind: 'pen' });
    await page.waitForFunction((seen) => seen.pointer !== '', kind);
    expect(await kind.evaluate((seen) => seen.pointer)).toBe('pen');
    expect((await body(page, 2)).position).not.toEqual(before.position);
    await lab.equalsServer();
  });

  it('every ready scene opens without complaints', async () => {
    const names = await page.evaluate(() => window.superegg?.store.welcome.value?.scenes.map((ready) => ready.name) ?? []);
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      await page.evaluate((wanted) => {
        const store = window.superegg?.store;
        const ready = store?.welcome.value?.scenes.find((other) => other.name === wanted);
        if (store && ready) store.open(ready);
      }, name);
      await lab.equalsServer();
    }
  });

  it('keeps everything when the connection is lost', async () => {
    await reset(lab);
    // A mesh has to go to the new server again.
    await page.getByLabel('Add a body').click();
    await page.getByText('Trefoil knot').click();
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.length === 3);
    await lab.settled();
    await page.locator('.body-row').nth(0).click();
    await page.locator('.stage').focus();
    const { port } = workshop.studio;
    await workshop.studio.stop();
    await page.locator('.lost').waitFor();
    // What is done meanwhile is not lost either.
    await page.keyboard.press('ArrowUp');
    const edited = await scene(page);
    workshop.studio = await Studio.start(port);
    await page.locator('.lost').waitFor({ state: 'detached' });
    await lab.equalsServer();
    expect(await scene(page)).toEqual(edited);
    // The browser says that a connection was refused; that is what happened.
    lab.complaints.length = 0;
  });

  it('has a help', async () => {
    await page.locator('.stage').focus();
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await lab.picture('help');
    await page.keyboard.press('Escape');
  });
});

describe('Contact Lab on a phone', () => {
  let lab: Window;
  let page: Page;
  let hand: Hand;

  beforeAll(async () => {
    lab = await workshop.openLab({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'dark' });
    page = lab.page;
    hand = await Hand.on(page);
  });

  afterEach(() => {
    expect(lab.complaints).toEqual([]);
  });

  afterAll(() => lab.close());

  it('fits its window', async () => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const right = await page.locator('.topbar .button').last().evaluate((element) => element.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(390);
    expect(await lab.picture('phone-dark')).toBeGreaterThan(150);
  });

  it('zooms with a pinch and turns the view with two fingers', async () => {
    const before = await view(page);
    await hand.slide([{ x: 60, y: 340 }, { x: 120, y: 340 }], [{ x: 20, y: 340 }, { x: 200, y: 340 }]);
    const zoomed = await view(page);
    expect(zoomed.distance).toBeLessThan(before.distance / 2);
    await page.evaluate(() => window.superegg?.stage?.frame(null, false));
    await hand.slide([{ x: 40, y: 345 }, { x: 110, y: 345 }], [{ x: 75, y: 310 }, { x: 75, y: 380 }]);
    expect((await view(page)).azimuth).toBeGreaterThan(zoomed.azimuth + 1);
    await page.evaluate(() => {
      const stage = window.superegg?.stage;
      if (stage) stage.orbit.azimuth = -0.9;
      stage?.frame(null, false);
    });
  });

  it('turns and scales a body with two fingers', async () => {
    await reset(lab);
    const before = await body(page, 1);
    const { x, y } = await middle(page, 1);
    await hand.slide([{ x: x - 15, y }, { x: x + 15, y }], [{ x, y: y - 30 }, { x, y: y + 30 }]);
    const after = await body(page, 1);
    expect(after.radii?.[0]).toBeCloseTo(2 * (before.radii?.[0] ?? 0), 1);
    expect(after.orientation).not.toEqual(before.orientation);
    await lab.equalsServer();
  });

  it('opens the parameter widget under a finger that holds a body', async () => {
    await reset(lab);
    const at = await middle(page, 2);
    await hand.touch('touchStart', [at]);
    await page.locator('.held-pad').waitFor();
    await hand.touch('touchMove', [{ x: at.x - 50, y: at.y }]);
    await hand.touch('touchMove', [{ x: at.x - 100, y: at.y + 60 }]);
    await lab.picture('phone-widget');
    await hand.touch('touchEnd');
    await page.locator('.held-pad').waitFor({ state: 'detached' });
    const { exponents, position } = await body(page, 2);
    expect(exponents?.[0]).toBeLessThan(0.6);
    expect(exponents?.[1]).toBeLessThan(0.8);
    expect(position).toEqual((await page.evaluate(() => window.superegg?.store.welcome.value?.scenes[0]?.bodies[1]?.position)));
    await lab.equalsServer();
  });

  it('has every panel behind a tab', async () => {
    for (const [tab, panel] of [['Bodies', '.bodies'], ['Shape', '.shape'], ['Motion', '.timeline'], ['Trace', '.trace'], ['Contact', '.readout']] as const) {
      await page.locator('.tabs button', { hasText: tab }).tap();
      await page.locator(panel).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    }
  });

  it('has targets that a finger can hit', async () => {
    for (const tab of ['Contact', 'Bodies', 'Shape', 'Motion', 'Trace']) {
      await page.locator('.tabs button', { hasText: tab }).tap();
      const small = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('button, select, input[type=range], .numeric')]
          .filter((element) => element.offsetParent !== null)
          .map((element) => ({ what: element.getAttribute('aria-label') ?? element.innerText, box: element.getBoundingClientRect() }))
          .filter(({ box }) => box.height < 44 || box.width < 40)
          .map(({ what, box }) => `${what}: ${Math.round(box.width)} by ${Math.round(box.height)}`),
      );
      expect(small, tab).toEqual([]);
    }
  });

  it('keeps a mesh through a reload', async () => {
    await page.locator('.tabs button', { hasText: 'Bodies' }).tap();
    await page.getByLabel('Add a body').tap();
    await page.getByText('Trefoil knot').tap();
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.some((other) => other.type === 'mesh'));
    await lab.equalsServer();
    await lab.idle();
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => window.superegg?.store.scene.value.bodies.some((other) => other.file === 'trefoil.obj'));
    await lab.equalsServer();
    await lab.picture('phone-knot');
  });

  it('comes back with what was kept after a reload', async () => {
    const before = await scene(page);
    await lab.idle();
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => (window.superegg?.store.scene.value.bodies.length ?? 0) > 0);
    expect((await scene(page)).bodies.map((other) => other.exponents)).toEqual(before.bodies.map((other) => other.exponents));
  });
});
