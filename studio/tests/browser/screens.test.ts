// Every menu and dialog of Contact Lab in wide and narrow windows, light and dark: it fits, it can be hit. In one of them
// the opening scene looks as in the picture that is kept; of the rest there are pictures for people to look at.

import type { BrowserContextOptions, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { type Window, Workshop } from './program';

const workshop = new Workshop();

/** How long queries took is never the same. */
const TIMES = ['.costs', '.timeline'];

const WINDOWS: [string, BrowserContextOptions][] = [
  ['wide-light', { viewport: { width: 1180, height: 760 }, colorScheme: 'light' }],
  ['wide-dark', { viewport: { width: 1180, height: 760 }, colorScheme: 'dark' }],
  ['phone-light', { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'dark' }],
];

/** Within the window; what is longer than it scrolls inside. */
async function fits(lab: Window, shown: Locator): Promise<void> {
  const box = await shown.boundingBox();
  const view = lab.page.viewportSize();
  if (!box || !view) throw new Error('nothing is shown');
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(view.width);
  expect(box.y + box.height).toBeLessThanOrEqual(view.height);
  const overflow = await shown.evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** Every item is large enough for a finger where there are fingers. */
async function canBeHit(items: Locator, finger: boolean): Promise<void> {
  for (const item of await items.all()) expect((await item.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(finger ? 44 : 28);
}

describe.each(WINDOWS)('the menus and dialogs of a window that is %s', (kind, options) => {
  let lab: Window;
  const finger = options.hasTouch ?? false;

  beforeAll(async () => {
    lab = await workshop.openLab(options);
  });

  it('show the opening scene', async () => {
    await lab.idle();
    if (kind === 'wide-light') {
      await lab.looksLike(`lab-${kind}`, TIMES);
      // A panel in other colours is noticed.
      const recolour = (filter: string) => lab.page.locator('.bodies').evaluate((panel, wanted) => {
        panel.style.filter = wanted;
      }, filter);
      await recolour('invert(1)');
      if (process.env['SUPEREGG_PICTURES'] !== 'renew') await expect(lab.looksLike(`lab-${kind}`, TIMES)).rejects.toThrow('looks different');
      await recolour('');
    }
    else expect(await lab.picture(`lab-${kind}`)).toBeGreaterThan(100);
  });

  // What a failed test left open would be in the way of the next.
  afterEach(() => lab.page.keyboard.press('Escape'));

  afterAll(async () => {
    expect(lab.complaints).toEqual([]);
    await lab.close();
  });

  it.each([
    ['file-menu', 'File'],
    ['scene-menu', 'Egg and die'],
    ['add-menu', 'Add a body'],
  ])('open the %s', async (name, label) => {
    const { page } = lab;
    if (name === 'add-menu' && finger) await page.getByRole('button', { name: 'Bodies', exact: true }).click();
    const opener = page.getByRole('button', { name: label, exact: true });
    await opener.click();
    const list = page.locator('.menu-list');
    await list.waitFor();
    await fits(lab, list);
    await canBeHit(list.getByRole('menuitem'), finger);
    await lab.idle();
    expect(await lab.picture(`${name}-${kind}`)).toBeGreaterThan(100);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
  });

  it('open the dialog for pasted lines, which says what is wrong with them', async () => {
    const { page } = lab;
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await page.getByRole('menuitem', { name: /Paste/ }).click();
    const dialog = page.locator('.dialog');
    await dialog.waitFor();
    await fits(lab, dialog);
    await canBeHit(dialog.getByRole('button'), finger);
    expect(await lab.picture(`paste-${kind}`)).toBeGreaterThan(100);
    await page.getByRole('textbox', { name: 'Lines' }).fill('{"query":"distance","a":{"type":"supertoroid","radii":[0.5,0.5,0.5],"exponents":[1,1],"hole":0.5},"b":{"type":"point"}}');
    await page.getByRole('button', { name: 'Read them' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').innerText()).toContain('hole');
    await fits(lab, dialog);
    await lab.picture(`paste-wrong-${kind}`);
    await page.getByRole('textbox', { name: 'Lines' }).fill('{"query":"distance","a":{"type":"supertoroid","radii":[0.5,0.5,0.5],"exponents":[1,1],"hole":3},"b":{"type":"point"}}');
    await page.getByRole('button', { name: 'Read them' }).click();
    await dialog.waitFor({ state: 'detached' });
    await lab.equalsServer();
    expect(await page.evaluate(() => window.superegg?.store.contact.value?.answer?.distance)).toBeCloseTo(1, 9);
  });

  it('open the help', async () => {
    const { page } = lab;
    await page.getByRole('button', { name: /help/i }).click();
    const dialog = page.locator('.dialog');
    await dialog.waitFor();
    await fits(lab, dialog);
    expect(await lab.picture(`help-${kind}`)).toBeGreaterThan(100);
    await dialog.evaluate((element) => {
      element.scrollTop = element.scrollHeight;
    });
    await lab.picture(`help-end-${kind}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});
