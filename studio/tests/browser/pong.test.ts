// Duper Bowl Pong in a real browser: whole matches by touch, mouse and keys, in wide and phone-sized windows.

import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';

import { Hand } from './hand';
import { keep, type Window, Workshop } from './program';

const workshop = new Workshop();

const WIDE = { viewport: { width: 900, height: 560 }, colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, colorScheme: 'dark' } as const;

async function open(options: Parameters<Workshop['open']>[1]): Promise<Window> {
  const game = await workshop.open('#/pong', options);
  await game.page.getByRole('button', { name: 'Easy' }).waitFor();
  return game;
}

const score = (page: Page) => page.evaluate(() => window.pong?.state.value?.score ?? [0, 0]);

/** Begins a short match against an opponent. */
function begin(page: Page, right: 'easy' | 'medium' | 'hard' | 'person', points: number): Promise<void> {
  return page.evaluate(([who, most]) => {
    window.pong?.begin({ right: who, points: most });
  }, [right, points] as const);
}

/** Where the ball and the left paddle's line are on the screen. */
function places(page: Page): Promise<{ ball: { x: number; y: number }; line: { x: number; y: number }; standing: boolean }> {
  return page.evaluate(() => {
    const box = document.querySelector('.court')?.getBoundingClientRect() ?? { left: 0, top: 0, width: 1, height: 1 };
    const facts = window.pong?.link.facts.value;
    const [w, h] = [2 * (facts?.court[0] ?? 8) + 0.6, 2 * (facts?.court[1] ?? 4.5) + 0.6];
    const standing = box.height > box.width;
    const scale = standing ? Math.min(box.width / h, box.height / w) : Math.min(box.width / w, box.height / h);
    const at = window.pong?.ball()?.at ?? { x: 0, y: 0 };
    const screen = (x: number, y: number) => (standing
      ? { x: box.left + box.width / 2 - y * scale, y: box.top + box.height / 2 - x * scale }
      : { x: box.left + box.width / 2 + x * scale, y: box.top + box.height / 2 - y * scale });
    return { ball: screen(at.x, at.y), line: screen(-(facts?.line ?? 7), at.y), standing };
  });
}

/** Points of a match that is not over before a test has seen what it wants, however slowly the machine looks. */
const LONG = 9;

const over = (page: Page) => page.evaluate(() => window.pong?.state.value?.phase === 'over');

describe('Duper Bowl Pong', () => {
  const games: Window[] = [];
  afterAll(async () => {
    for (const game of games) await game.close();
  });

  async function started(options: Parameters<Workshop['open']>[1]): Promise<Window> {
    const game = await open(options);
    games.push(game);
    return game;
  }

  it('explains itself in one picture, wide and on a phone', async () => {
    for (const [name, options] of [['wide', WIDE], ['phone', PHONE]] as const) {
      const game = await started(options);
      await game.page.locator('.pong-picture').first().waitFor();
      await game.looksLike(`pong-start-${name}`);
      const { width } = options.viewport;
      for (const button of await game.page.locator('.pong-choice').all()) {
        const box = await button.boundingBox();
        expect(box?.height ?? 0).toBeGreaterThanOrEqual(44);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      }
      expect(await game.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(game.complaints).toEqual([]);
    }
  });

  it('is played to the end with the mouse and the wheel', async () => {
    const game = await started(WIDE);
    const { page } = game;
    await begin(page, 'easy', LONG);
    // Pressed from within the page: after a while the serve goes by itself, and the button with it.
    await page.waitForFunction(() => {
      const serve = document.querySelector<HTMLElement>('.pong-serve');
      serve?.click();
      return serve !== null;
    });
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'play');
    const { line: start } = await places(page);
    await page.mouse.move(start.x, start.y);
    await page.mouse.wheel(0, 120);
    await page.waitForFunction(() => Math.abs(window.pong?.paddleShown(0)?.tilt ?? 0) > 0.1);
    await game.picture('pong-play-wide');
    await page.mouse.wheel(0, -120);
    await begin(page, 'easy', 2);
    await page.waitForFunction(() => window.pong?.state.value?.match.points === 2);
    while (!(await over(page))) {
      const { line } = await places(page);
      await page.mouse.move(line.x, line.y);
    }
    const [left = 0, right = 0] = await score(page);
    expect(Math.max(left, right)).toBe(2);
    expect(await page.evaluate(() => window.pong?.bounces ?? 0)).toBeGreaterThan(0);
    await page.getByRole('heading', { name: /wins?$|You win/ }).waitFor();
    await game.picture('pong-over-wide');
    expect(game.complaints).toEqual([]);
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'serve');
  });

  it('is played to the end with keys, paused and gone on with', async () => {
    const game = await started(WIDE);
    const { page } = game;
    await begin(page, 'easy', LONG);
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'serve');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'play');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    await game.picture('pong-paused');
    await page.keyboard.press('p');
    await page.waitForFunction(() => window.pong?.isLive);
    // Tilted by a key, at once.
    await page.keyboard.down('a');
    await page.waitForFunction(() => (window.pong?.paddleShown(0)?.tilt ?? 0) > 0.2);
    await page.keyboard.up('a');
    await begin(page, 'easy', 1);
    await page.waitForFunction(() => window.pong?.state.value?.match.points === 1);
    let held: string | null = null;
    while (!(await over(page))) {
      const away = await page.evaluate(() => (window.pong?.ball()?.at.y ?? 0) - (window.pong?.paddleShown(0)?.at.y ?? 0));
      const wanted = away > 0.4 ? 'w' : away < -0.4 ? 's' : null;
      if (wanted === held) continue;
      if (held) await page.keyboard.up(held);
      if (wanted) await page.keyboard.down(wanted);
      held = wanted;
    }
    if (held) await page.keyboard.up(held);
    expect(Math.max(...(await score(page)))).toBe(1);
    expect(game.complaints).toEqual([]);
  });

  it('is played to the end with one finger on a phone, which moves and tilts', async () => {
    const game = await started(PHONE);
    const { page } = game;
    const hand = await Hand.on(page, '.court');
    await begin(page, 'easy', LONG);
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'play');
    const first = await places(page);
    expect(first.standing).toBe(true);
    await hand.touch('touchStart', [first.line]);
    // Across the line: the paddle tilts.
    await hand.touch('touchMove', [{ x: first.line.x, y: first.line.y - 25 }]);
    await page.waitForFunction(() => Math.abs(window.pong?.paddleShown(0)?.tilt ?? 0) > 0.1);
    await game.picture('pong-play-phone');
    await begin(page, 'easy', 1);
    await page.waitForFunction(() => window.pong?.state.value?.match.points === 1);
    while (!(await over(page))) {
      const { line } = await places(page);
      await hand.touch('touchMove', [{ x: line.x, y: first.line.y }]);
    }
    await hand.touch('touchEnd');
    expect(Math.max(...(await score(page)))).toBe(1);
    const again = page.getByRole('button', { name: 'Play again' });
    await again.waitFor();
    await game.picture('pong-over-phone');
    expect((await again.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(44);
    await again.tap();
    await page.waitForFunction(() => window.pong?.isLive);
    await page.getByRole('button', { name: 'Pause' }).tap();
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    await game.picture('pong-paused-phone');
    expect(game.complaints).toEqual([]);
  });

  it('is played by two people with two fingers at once', async () => {
    const game = await started({ ...PHONE, viewport: { width: 760, height: 390 } });
    const { page } = game;
    const hand = await Hand.on(page, '.court');
    await begin(page, 'person', LONG);
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'serve');
    await hand.touch('touchStart', [{ x: 80, y: 200 }, { x: 680, y: 220 }]);
    await hand.touch('touchMove', [{ x: 80, y: 130 }, { x: 680, y: 300 }]);
    await page.waitForFunction(() => (window.pong?.paddleShown(0)?.at.y ?? 0) > 0.8 && (window.pong?.paddleShown(1)?.at.y ?? 0) < -0.8);
    // The session has both too.
    await page.waitForFunction(() => {
      const poses = (window.pong as unknown as { newest: { poses: Map<number, { position: number[] }[]> } | null }).newest?.poses.get(0);
      return (poses?.[1]?.position[1] ?? 0) > 0.8 && (poses?.[2]?.position[1] ?? 0) < -0.8;
    });
    await game.picture('pong-two-players');
    await hand.touch('touchEnd');
    expect(game.complaints).toEqual([]);
  });

  it('answers a finger at once, before the session does', async () => {
    const game = await started(WIDE);
    const { page } = game;
    await begin(page, 'hard', LONG);
    await page.waitForFunction(() => window.pong?.state.value?.phase === 'play');
    const { frames, told } = await page.evaluate(async () => {
      const canvas = document.querySelector('.court');
      const box = canvas?.getBoundingClientRect() ?? { left: 0, top: 0, height: 0 };
      const before = window.pong?.paddleShown(0)?.at.y ?? 0;
      canvas?.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', clientX: box.left + 60, clientY: box.top + (before > 0 ? 0.8 : 0.2) * box.height }));
      // The next frame is the first that can have it; a frame that follows at the same time moves nothing.
      let waited = 0;
      while ((window.pong?.paddleShown(0)?.at.y ?? 0) === before && waited < 30) {
        await new Promise(requestAnimationFrame);
        waited += 1;
      }
      // Where the session has it at that moment.
      const poses = (window.pong as unknown as { newest: { poses: Map<number, { position: number[] }[]> } | null }).newest?.poses.get(0);
      return { frames: waited, told: (poses?.[1]?.position[1] ?? 0) - before };
    });
    keep('pong-answer.json', JSON.stringify({ frames, told }));
    expect(frames).toBeLessThanOrEqual(3);
    expect(game.complaints).toEqual([]);
  });
});
