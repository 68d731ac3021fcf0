// How finely is drawn follows how fast pictures come, and is full at rest.

import { describe, expect, it } from 'vitest';

import { Quality } from '../../src/stage/quality';

/** Draws so many pictures with such a pause between them; the time after. */
function draws(quality: Quality, count: number, interval: number, from: number): number {
  for (let k = 0; k < count; k++) quality.draw(from + k * interval);
  return from + count * interval;
}

describe('the fineness of pictures', () => {
  it('is full as long as they come fast enough', () => {
    const quality = new Quality();
    draws(quality, 1000, 16.7, 0);
    expect(quality.isFull).toBe(true);
  });

  it('is full for single pictures, however long each takes', () => {
    const quality = new Quality();
    draws(quality, 100, 400, 0);
    expect(quality.isFull).toBe(true);
  });

  it('falls step by step while they come slowly, and is full again at rest', () => {
    const quality = new Quality();
    let now = draws(quality, 9, 60, 0);
    expect(quality.fineness).toEqual({ pixels: 1, shadows: 2 });
    now = draws(quality, 60, 60, now);
    expect(quality.fineness).toEqual({ pixels: 0.5, shadows: 4 });
    expect(quality.rest(now)).toBe(false);
    expect(quality.rest(now + 300)).toBe(true);
    expect(quality.isFull).toBe(true);
    expect(quality.rest(now + 320)).toBe(false);
    // What moves again is drawn as before, from the second picture on.
    quality.draw(now + 1000);
    expect(quality.isFull).toBe(true);
    expect(quality.draw(now + 1016)).toBe(true);
    expect(quality.fineness.pixels).toBe(0.5);
  });

  it('comes back when they have been fast for seconds', () => {
    const quality = new Quality();
    const now = draws(quality, 100, 60, 0);
    draws(quality, 200, 16.7, now);
    expect(quality.fineness.pixels).toBe(0.75);
    draws(quality, 1000, 16.7, now + 200 * 16.7);
    expect(quality.isFull).toBe(true);
  });
});
