// What Contact Lab costs in a frame, without what the browser does to draw it. With SUPEREGG_BEFORE naming an older program, both
// are measured in turns in one run, and the new one may not work more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { keep, Studio, Window, Workshop } from './program';

const workshop = new Workshop();
const before = process.env['SUPEREGG_BEFORE'];
const SCENES = ['Egg and die', 'A nest', 'A molar and an olive'];
const OPTIONS = { viewport: { width: 860, height: 580 }, colorScheme: 'light' } as const;
/** Rounds of a comparison. */
const ROUNDS = 5;

interface Cost {
  frames: number;
  /** Milliseconds of own work in a frame. */
  median: number;
  p95: number;
}

/** Plays a scene's motion for some frames, or drags a body where there is none. */
async function cost(lab: Window, name: string): Promise<Cost> {
  await lab.ready(name);
  await lab.page.locator('.body-row').nth(0).click();
  return lab.page.evaluate(async () => {
    const { store, stage, meter } = window.superegg ?? {};
    meter?.reset();
    const start = stage?.frames ?? 0;
    const { bodies } = store?.scene.value ?? { bodies: [] };
    const [first] = bodies;
    const moving = bodies.some((other) => other.keys?.length);
    if (moving && store) store.playing.value = true;
    for (let k = 0; k < 16; k++) {
      await new Promise(requestAnimationFrame);
      if (!moving && first) store?.adjustBody(first.id, (old) => ({ ...old, position: [2 * Math.sin(k / 9), 1, 1] }));
    }
    if (store) store.playing.value = false;
    const { median = 0, p95 = 0 } = meter?.summary() ?? {};
    return { frames: (stage?.frames ?? 0) - start, median, p95 };
  });
}

const middle = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('Contact Lab in a frame', () => {
  const labs: Window[] = [];
  let older: Studio | null = null;

  beforeAll(async () => {
    labs.push(await workshop.openLab(OPTIONS));
    if (!before) return;
    older = await Studio.start('0', [], before);
    const lab = await Window.open(workshop.browser, `${older.link}#/contact-lab`, OPTIONS, '');
    await lab.page.waitForFunction(() => (window.superegg?.stage?.frames ?? 0) > 1);
    await lab.settled();
    labs.push(lab);
  });

  afterAll(async () => {
    for (const lab of labs) await lab.close();
    await older?.stop();
  });

  it('works little while a motion plays', async () => {
    const [lab] = labs as [Window];
    const costs: Record<string, Cost> = {};
    for (const name of SCENES) {
      costs[name] = await cost(lab, name);
      expect(costs[name].frames).toBeGreaterThan(5);
    }
    keep('frame-costs.json', JSON.stringify(costs, null, 2));
  });

  it.skipIf(!before)('works no more than before', async () => {
    const medians: Record<string, { now: number; before: number }> = {};
    for (const name of SCENES) {
      const [now, then]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        for (const [index, lab] of labs.entries()) (index === 0 ? now : then).push((await cost(lab, name)).median);
      }
      medians[name] = { now: middle(now), before: middle(then) };
    }
    keep('frame-costs-compared.json', JSON.stringify(medians, null, 2));
    const total = (of: 'now' | 'before') => Object.values(medians).reduce((sum, each) => sum + each[of], 0);
    expect(total('now')).toBeLessThanOrEqual(1.05 * total('before'));
  }, 300_000);
});
