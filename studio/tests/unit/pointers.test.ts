// Taps, holds and drags are told apart by when the hand acted, however late the page hears of it.

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { Pointers, type Drag, type Press } from '../../src/input/pointers';

/** A canvas that hears events, without a page around it. */
class Canvas extends EventTarget {
  focus = () => undefined;
  setPointerCapture = () => undefined;
  getBoundingClientRect = () => ({ left: 0, top: 0 });
}

interface Given {
  x: number;
  y?: number;
  time: number;
  kind?: string;
  coalesced?: Given[];
}

function event(type: string, { x, y = 0, time, kind = 'mouse', coalesced = [] }: Given): Event {
  const made = new Event(type);
  const all = coalesced.map((given) => event(type, given));
  Object.defineProperty(made, 'timeStamp', { value: time });
  return Object.assign(made, {
    pointerId: 1, pointerType: kind, button: 0, clientX: x, clientY: y, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false,
    getCoalescedEvents: () => all,
  });
}

describe('a press', () => {
  const canvas = { now: new Canvas() };
  let did: string[] = [];
  let frames: (() => void)[] = [];

  /** Time goes on and the next frame comes, though no event was heard. */
  function pass(milliseconds: number): void {
    vi.advanceTimersByTime(milliseconds);
    for (const run of frames.splice(0)) run();
  }

  const send = (type: string, given: Given) => canvas.now.dispatchEvent(event(type, given));

  beforeEach(() => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    did = [];
    frames = [];
    canvas.now = new Canvas();
    const drag = (name: string): Drag => ({
      move: (sample) => did.push(`${name} to ${sample.x}`),
      hold: () => {
        did.push('held');
        return { ...drag('pad'), hold: () => null };
      },
      release: (still) => did.push(`${name} ${still ? 'tapped' : 'let go'}`),
      cancel: () => did.push(`${name} cancelled`),
    });
    vi.stubGlobal('window', Object.assign(new EventTarget(), { setTimeout, clearTimeout }));
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
    const tool = { press: (press: Press) => (press.secondary ? null : drag('drag')) };
    new Pointers(canvas.now as unknown as HTMLCanvasElement, [tool], { double: ({ x }) => did.push(`double at ${x}`) });
    return () => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    };
  });

  it('that moves is a drag', () => {
    send('pointerdown', { x: 0, time: 0 });
    send('pointermove', { x: 3, time: 50 });
    send('pointermove', { x: 30, time: 100 });
    pass(2000);
    send('pointerup', { x: 30, time: 2100 });
    expect(did).toEqual(['drag to 30', 'drag let go']);
  });

  it('that stays is a hold, sooner for a finger', () => {
    for (const [kind, soonest] of [['touch', 500], ['mouse', 650]] as const) {
      did = [];
      const start = performance.now();
      send('pointerdown', { x: 0, time: start, kind });
      pass(soonest - 1);
      expect(did).toEqual([]);
      pass(1);
      send('pointermove', { x: 20, time: start + soonest + 5, kind });
      send('pointerup', { x: 20, time: start + soonest + 20, kind });
      expect(did).toEqual(['held', 'drag cancelled', 'pad to 20', 'pad let go']);
    }
  });

  it('that was heard late is no longer for that', () => {
    pass(400);
    send('pointerdown', { x: 0, time: 100 });
    pass(351);
    expect(did).toEqual(['held', 'drag cancelled']);
  });

  it('whose moves came late was a drag all the same', () => {
    send('pointerdown', { x: 0, time: 0 });
    pass(1000);
    // The last of what it passed is after the hold was due, but it had left before.
    send('pointermove', { x: 40, time: 900, coalesced: [{ x: 2, time: 100 }, { x: 20, time: 600 }, { x: 40, time: 900 }] });
    send('pointerup', { x: 40, time: 950 });
    expect(did).toEqual(['held', 'drag cancelled', 'pad cancelled', 'drag to 40', 'drag let go']);
  });

  it('whose release came late was a tap all the same', () => {
    send('pointerdown', { x: 0, time: 0 });
    pass(1000);
    send('pointerup', { x: 0, time: 120 });
    expect(did).toEqual(['held', 'drag cancelled', 'pad cancelled', 'drag tapped']);
  });

  it('of a finger that comes twice is a double tap, unless it is late or elsewhere', () => {
    const tap = (x: number, time: number) => {
      send('pointerdown', { x, time, kind: 'touch' });
      send('pointerup', { x, time: time + 40, kind: 'touch' });
    };
    for (const [x, time] of [[100, 0], [300, 200], [304, 400], [304, 500], [304, 1000]] as const) tap(x, time);
    // What is the second of a pair is not the first of the next.
    expect(did.filter((what) => what.startsWith('double'))).toEqual(['double at 304']);
  });
});
