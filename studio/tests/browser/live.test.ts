// The live path: a cloth of 41 × 41 vertices streamed to two windows at once, and how long a hand's move takes to be seen. What it
// measured is kept as an artefact; what is asserted holds on a machine of any speed.

import { availableParallelism, loadavg } from 'node:os';

import { describe, expect, it } from 'vitest';

import { keep, launch, Window, Workshop } from './program';

const workshop = new Workshop();

describe('a cloth that is streamed to two windows', () => {
  it('follows the hand, without old frames', async () => {
    const options = { viewport: { width: 480, height: 360 } };
    const windows = [await workshop.open('#/cloth-table', options), await workshop.open('#/cloth-table', options)];
    const load = loadavg()[0] ?? 0;
    for (const { page } of windows) await page.waitForFunction(() => (window.cloth?.received ?? 0) > 30);
    const measured = await Promise.all(windows.map(({ page }) => page.evaluate(async () => {
      const view = window.cloth;
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.stage');
      if (!view || !canvas) throw new Error('there is no cloth');
      const box = canvas.getBoundingClientRect();
      const point = (type: string, t: number) => canvas.dispatchEvent(new PointerEvent(type, {
        pointerId: 1, pointerType: 'mouse', bubbles: true, clientX: box.left + box.width * (0.5 + 0.15 * Math.sin(t)), clientY: box.top + box.height * (0.5 + 0.1 * Math.cos(t)),
      }));
      canvas.setPointerCapture = () => undefined;
      view.latency.reset();
      const [before, start] = [view.received, performance.now()];
      const first = view.newest?.tick ?? 0;
      // Frames that came and are not on the screen.
      let ahead = 0;
      point('pointerdown', 0);
      let animations = 0;
      // Some seconds, and until a move has come back on however slow a machine.
      while (performance.now() - start < 4000 || view.latency.summary().count === 0) {
        animations += 1;
        point('pointermove', animations / 12);
        await new Promise(requestAnimationFrame);
        ahead = Math.max(ahead, (view.newest?.sequence ?? 0) - view.shown);
      }
      point('pointerup', 20);
      const seconds = (performance.now() - start) / 1000;
      const frame = view.newest;
      return {
        seconds, frames: (view.received - before) / seconds, ticks: ((frame?.tick ?? 0) - first) / seconds, animation: animations / seconds, ahead,
        speed: frame?.speed ?? 0, step: frame?.step ?? 0, latency: view.latency.summary(), vertices: (frame?.positions.get(1)?.length ?? 0) / 3,
      };
    })));
    keep('live.json', JSON.stringify({ cores: availableParallelism(), load, windows: measured }, null, 2));
    for (const { vertices, ticks, ahead } of measured) {
      expect(vertices).toBe(41 * 41);
      expect(ticks).toBeGreaterThan(0);
      // None pile up: the session waits for what is drawn.
      expect(ahead).toBeLessThanOrEqual(2);
    }
    for (const window of windows) {
      await window.picture(`live-${windows.indexOf(window)}`);
      expect(window.complaints).toEqual([]);
      await window.close();
    }
  });

  it('follows a real pointer when it is drawn as lines, without a graphics card', async () => {
    const browser = await launch(['--disable-gpu']);
    const options = { viewport: { width: 480, height: 360 } };
    const windows = [await Window.open(browser, `${workshop.studio.link}#/cloth-table?lines`, options), await Window.open(browser, `${workshop.studio.link}#/cloth-table?lines`, options)];
    const load = loadavg()[0] ?? 0;
    for (const { page } of windows) await page.waitForFunction(() => (window.cloth?.received ?? 0) > 30);
    const measured = await Promise.all(windows.map(async ({ page }) => {
      const hand = await page.context().newCDPSession(page);
      const point = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', t: number) => hand.send('Input.dispatchMouseEvent', {
        type, x: 240 + 60 * Math.sin(t), y: 200 + 40 * Math.cos(t), button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1,
      });
      await point('mousePressed', 0);
      const before = await page.evaluate(() => {
        window.cloth?.latency.reset();
        return { received: window.cloth?.received ?? 0, frames: window.cloth?.frames ?? 0, tick: window.cloth?.newest?.tick ?? 0, now: performance.now() };
      });
      // As a hand moves: about every 16 ms, in no step with the page's frames.
      await new Promise<void>((resolve) => {
        let moves = 0;
        const timer = setInterval(() => {
          moves += 1;
          void point('mouseMoved', moves / 12);
          if (moves < 240) return;
          clearInterval(timer);
          resolve();
        }, 16);
      });
      await point('mouseReleased', 20);
      await page.waitForFunction(() => (window.cloth?.latency.summary().count ?? 0) > 0);
      return page.evaluate((since) => {
        const { received = 0, frames = 0, newest, latency } = window.cloth ?? {};
        const seconds = (performance.now() - since.now) / 1000;
        return {
          seconds, frames: (received - since.received) / seconds, drawn: (frames - since.frames) / seconds, ticks: ((newest?.tick ?? 0) - since.tick) / seconds,
          speed: newest?.speed ?? 0, step: newest?.step ?? 0, latency: latency?.summary(), vertices: (newest?.positions.get(1)?.length ?? 0) / 3,
        };
      }, before);
    }));
    keep('live-lines.json', JSON.stringify({ cores: availableParallelism(), load, windows: measured }, null, 2));
    for (const { vertices, ticks } of measured) {
      expect(vertices).toBe(41 * 41);
      expect(ticks).toBeGreaterThan(0);
    }
    for (const [index, window] of windows.entries()) {
      await window.picture(`live-lines-${index}`);
      expect(window.complaints).toEqual([]);
    }
    await browser.close();
  });
});
