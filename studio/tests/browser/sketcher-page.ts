// What tests of Multibody Sketcher share: opening it, drawing on it, reading what came of it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import type { Creature } from '../../src/apps/sketcher/messages';
import type { Mode } from '../../src/apps/sketcher/store';
import type { Point } from './hand';
import type { Window as Shown, Workshop } from './program';

export const EMPTY = { name: 'Story', joints: [], bones: [], hitboxes: [], stance: { position: [0, 0, 0], orientation: [0, 0, 0, 1], turns: [] }, keys: [], mirror: true };

export type Triple = [number, number, number];

/** The app in a window, with nothing drawn yet. */
export async function openSketcher(workshop: Workshop, options: Parameters<Workshop['open']>[1], given: unknown = EMPTY): Promise<Shown> {
  const shown = await workshop.open('#/multibody-sketcher', options);
  const { page } = shown;
  await page.waitForFunction(() => (window.sketcher?.view.frames ?? 0) > 1 && window.sketcher?.store.settled.value === true);
  await openCreature(page, given);
  return shown;
}

/** Another creature, seen as a whole. */
export async function openCreature(page: Page, given: unknown): Promise<void> {
  await page.evaluate((wanted) => {
    window.sketcher?.store.open(wanted as Creature, false);
    window.sketcher?.view.lookAtAll(false);
  }, given);
  await idle(page);
}

export async function idle(page: Page): Promise<void> {
  await page.waitForFunction(() => window.sketcher?.idle() === true);
}

export function creature(page: Page): Promise<Creature> {
  return page.evaluate(() => {
    if (!window.sketcher) throw new Error('there is no creature');
    return window.sketcher.store.creature;
  });
}

export function ready(page: Page, name: string): Promise<Creature> {
  return page.evaluate((wanted) => {
    const found = window.sketcher?.store.link.facts.value?.gallery.find((other) => other.name === wanted);
    if (!found) throw new Error(`there is no ${wanted}`);
    return found;
  }, name);
}

/** Where places of the world are on the screen, in the first view or the one at a place of the canvas. */
export function onScreen(page: Page, places: Triple[], within: Point | null = null): Promise<Point[]> {
  return page.evaluate(([wanted, entered]) => {
    const view = window.sketcher?.view;
    const box = document.querySelector('canvas.stage')?.getBoundingClientRect();
    if (!view || !box) throw new Error('there is no stage');
    if (entered) view.enter(entered.x, entered.y);
    return wanted.map(([x, y, z]) => {
      const found = view.project(view.orbit.target.clone().set(x, y, z));
      return { x: found.x + box.left, y: found.y + box.top };
    });
  }, [places, within] as const);
}

/** Places along a line of corners, not too far from each other, as a hand passes them. */
export function along(corners: Point[], step = 9): Point[] {
  const made: Point[] = [];
  for (const [k, to] of corners.entries()) {
    const from = corners[k - 1];
    const count = from ? Math.max(Math.round(Math.hypot(to.x - from.x, to.y - from.y) / step), 1) : 1;
    for (let part = 1; part <= count; part++) made.push(from ? { x: from.x + ((to.x - from.x) * part) / count, y: from.y + ((to.y - from.y) * part) / count } : to);
  }
  return made;
}

export function ellipse(center: Point, a: number, b: number, tilt = 0): Point[] {
  return Array.from({ length: 41 }, (_, k) => {
    const angle = 0.7 + (2 * Math.PI * k) / 40;
    const [x, y] = [a * Math.cos(angle), b * Math.sin(angle)];
    return { x: center.x + x * Math.cos(tilt) - y * Math.sin(tilt), y: center.y + x * Math.sin(tilt) + y * Math.cos(tilt) };
  });
}

export function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

export async function setMode(page: Page, mode: Mode): Promise<void> {
  await page.evaluate((wanted) => {
    window.sketcher?.store.setMode(wanted);
  }, mode);
}

export async function look(page: Page, face: string): Promise<void> {
  await page.locator('.open-box').first().locator(`[data-face='${face}']`).dispatchEvent('click');
  await idle(page);
}

export async function equalsServer(page: Page): Promise<void> {
  await idle(page);
  const [ours, theirs] = await page.evaluate(async () => {
    const store = window.sketcher?.store;
    return [JSON.parse(JSON.stringify(store?.creature)) as unknown, await store?.serverCreature()];
  });
  expect(theirs).toEqual(ours);
}

export async function exported(page: Page, label: string): Promise<Buffer> {
  await page.getByRole('button', { name: 'File' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: label, exact: true }).click()]);
  return readFileSync(await download.path());
}

export interface Info {
  links: number;
  dof: number;
  joints: { name: string; type: string; child: string; lower: number | null; upper: number | null }[];
  diagnostics: unknown[];
}

/** What `superegg robot FILE info` says. */
export function robotInfo(urdf: Buffer): { info: Info; text: string; distances: string } {
  const file = join(mkdtempSync(join(tmpdir(), 'sketcher-')), 'story.urdf');
  writeFileSync(file, urdf);
  const run = (...args: string[]) => execFileSync(process.env['SUPEREGG_PROGRAM'] ?? 'superegg', ['robot', file, ...args], { encoding: 'utf8' });
  return { info: JSON.parse(run('info', '--json')) as Info, text: run('info'), distances: run('distances', '--json') };
}
