// The platform without a browser: documents, links over a scripted transport, frames, input, keys, prediction.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Document } from '../../src/document/document';
import { packed, unpacked } from '../../src/document/share';
import { matches, shownKeys } from '../../src/input/actions';
import { Predicted } from '../../src/input/predicted';
import { snappedPlace, snappedTurn } from '../../src/input/snapping';
import { VERSION } from '../../src/link/envelope';
import { InputPort } from '../../src/link/input-port';
import { Link } from '../../src/link/link';
import { decodeStateFrame } from '../../src/link/state-frame';
import type { Lost, Transport } from '../../src/link/transport';

describe('a document', () => {
  const started = () => {
    let changes = 0;
    const document = new Document(0, () => (changes += 1));
    return { document, changes: () => changes };
  };

  it('undoes a whole gesture at once, by its name', () => {
    const { document } = started();
    document.begin('Move');
    for (let k = 1; k <= 5; k++) document.adjust(() => k);
    document.commit();
    expect([document.value.value, document.names.value.undo]).toEqual([5, 'Move']);
    document.undo();
    expect([document.value.value, document.names.value.undo, document.names.value.redo]).toEqual([0, null, 'Move']);
    document.redo();
    expect(document.value.value).toBe(5);
  });

  it('is as before when a gesture is cancelled, and the hand that goes on does nothing', () => {
    const { document } = started();
    document.change('One', () => 1);
    document.begin('Move');
    document.adjust(() => 7);
    expect(document.cancel()).toBe(true);
    document.adjust(() => 8);
    document.commit();
    expect([document.value.value, document.names.value.undo]).toEqual([1, 'One']);
    // The next gesture is a new one.
    document.begin('Again');
    document.adjust(() => 9);
    document.commit();
    expect([document.value.value, document.names.value.undo]).toEqual([9, 'Again']);
  });

  it('takes back the gesture that is under way when it is undone meanwhile, and nothing else', () => {
    const { document } = started();
    document.change('One', () => 1);
    document.begin('Move');
    document.adjust(() => 2);
    document.undo();
    expect(document.value.value).toBe(1);
    document.adjust(() => 3);
    document.commit();
    expect(document.value.value).toBe(1);
    document.undo();
    expect(document.value.value).toBe(0);
  });

  it('makes one step of what two hands do at once', () => {
    const { document } = started();
    document.begin('Left');
    document.begin('Right');
    document.adjust(() => 3);
    document.commit();
    expect(document.names.value.undo).toBeNull();
    document.adjust(() => 4);
    document.commit();
    document.undo();
    expect(document.value.value).toBe(0);
  });
});

describe('a link that carries a document', () => {
  it('gives it back, in letters that an address may have', async () => {
    const scene = { name: 'Zwei Bälle', bodies: Array.from({ length: 20 }, (_, id) => ({ id, position: [0.1 * id, 1 / 3, 1 - id] })) };
    const text = await packed(scene);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(text.length).toBeLessThan(JSON.stringify(scene).length);
    expect(await unpacked(text)).toEqual(scene);
    await expect(unpacked(`${text.slice(0, 20)}x`)).rejects.toThrow();
  });
});

/** A transport whose other end is the test. */
class Scripted implements Transport {
  sent: (string | ArrayBuffer)[] = [];
  opened = 0;
  closed = 0;
  hear: (message: string | ArrayBuffer) => void = () => undefined;
  lose: (why: Lost) => void = () => undefined;

  open(hear: (message: string | ArrayBuffer) => void, opened: () => void, lost: (why: Lost) => void): void {
    this.opened += 1;
    this.hear = hear;
    this.lose = lost;
    opened();
  }

  send(message: string | ArrayBuffer): void {
    this.sent.push(message);
  }

  close(): void {
    this.closed += 1;
  }

  says(message: unknown): void {
    this.hear(JSON.stringify(message));
  }

  welcome(): void {
    this.says({ welcome: { version: VERSION, program: 'test', limits: { edit_bytes: 1000, ask_bytes: 500, file_bytes: 1000 }, facts: { a: 1 } } });
  }

  /** What was said last, read. */
  last(): unknown {
    return JSON.parse(this.sent.at(-1) as string) as unknown;
  }
}

describe('a link', () => {
  const made: Link<never>[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    const target = () => ({ addEventListener: () => undefined, removeEventListener: () => undefined });
    vi.stubGlobal('window', { ...target(), setTimeout, clearTimeout, setInterval, clearInterval, localStorage: { getItem: () => 'secret' } });
    vi.stubGlobal('document', { ...target(), visibilityState: 'visible' });
  });

  afterEach(() => {
    for (const link of made.splice(0)) link.close();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  function linked(listener: ConstructorParameters<typeof Link>[1] = {}) {
    const transport = new Scripted();
    const link = new Link({ name: 'test', version: 4 }, listener, transport);
    made.push(link as unknown as Link<never>);
    return { transport, link };
  }

  it('greets with version, app and token, and is open when it is welcome', () => {
    const { transport, link } = linked();
    expect(transport.last()).toEqual({ hello: { version: VERSION, app: 'test', app_version: 4, token: 'secret' } });
    expect(link.edit(1, {})).toBe(false);
    transport.welcome();
    expect([link.state.value, link.facts.value]).toEqual(['open', { a: 1 }]);
    expect(link.edit(1, { move: 1 })).toBe(true);
    expect(transport.last()).toEqual({ edit: { revision: 1, edit: { move: 1 } } });
  });

  it('ends every question: answered, refused, replaced, taken back or lost', async () => {
    const { transport, link } = linked();
    transport.welcome();
    const [one, two, three, four] = [link.ask('a'), link.ask('b'), link.ask('c'), link.ask('d')];
    transport.says({ answer: { request: 1, answer: 'yes' } });
    transport.says({ failure: { request: 2, revision: null, kind: 'invalid_input', field: 'x', message: 'no' } });
    transport.says({ replaced: { request: 3 } });
    const ends = Promise.allSettled([one, two, three, four]);
    transport.lose({ code: 1006, reason: '' });
    const reasons = (await ends).map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as { why: string }).why));
    expect(reasons).toEqual(['yes', 'refused', 'replaced', 'lost']);
    await expect(link.ask('e')).rejects.toMatchObject({ why: 'lost' });
  });

  it('tells a refusal to who asked, and to everyone only when nobody did', async () => {
    const failures: unknown[] = [];
    const { transport, link } = linked({ failure: (failure) => failures.push(failure) });
    transport.welcome();
    const asked = link.ask('a');
    const refusal = { revision: null, kind: 'invalid_input', field: 'plot.pair[1]', message: 'there is no body with id 3' };
    transport.says({ failure: { request: 1, ...refusal } });
    await expect(asked).rejects.toMatchObject({ why: 'refused', message: 'plot.pair[1]: there is no body with id 3' });
    expect(failures).toEqual([]);
    transport.says({ failure: { request: null, ...refusal, revision: 4 } });
    expect(failures).toEqual([expect.objectContaining({ revision: 4 })]);
  });

  it('comes back after a loss, and not after a refusal', () => {
    const { transport, link } = linked();
    transport.welcome();
    transport.lose({ code: 1006, reason: '' });
    expect(link.state.value).toBe('lost');
    vi.advanceTimersByTime(1000);
    expect(transport.opened).toBe(2);
    transport.says({ failure: { request: null, revision: null, kind: 'protocol', field: 'hello.version', message: 'reload the page' } });
    transport.lose({ code: 1008, reason: 'version' });
    expect([link.state.value, link.reason.value]).toEqual(['refused', 'reload the page']);
    vi.advanceTimersByTime(100_000);
    expect(transport.opened).toBe(2);
  });

  it('notices a line whose other end is gone, and tries again', () => {
    const { transport, link } = linked();
    transport.welcome();
    vi.advanceTimersByTime(10_500);
    expect(transport.last()).toEqual({ ping: { request: 0 } });
    transport.says({ pong: { request: 0 } });
    vi.advanceTimersByTime(35_000);
    expect(transport.closed).toBeGreaterThan(0);
    expect(['lost', 'connecting', 'open']).toContain(link.state.value);
    vi.advanceTimersByTime(5000);
    expect(transport.opened).toBeGreaterThan(1);
  });

  it('tells an edit that is too long in words instead of losing the line', async () => {
    const failures: unknown[] = [];
    const { transport, link } = linked({ failure: (failure) => failures.push(failure) });
    transport.welcome();
    const before = transport.sent.length;
    expect(link.edit(7, 'x'.repeat(2000))).toBe(true);
    await Promise.resolve();
    expect(transport.sent.length).toBe(before);
    expect(failures).toMatchObject([{ revision: 7, kind: 'limit' }]);
  });
});

describe('input', () => {
  it('goes once a frame: of moves the last, of presses and releases all', () => {
    const sent: DataView[] = [];
    const port = new InputPort((message) => sent.push(new DataView(message)) > 0);
    port.press({ control: 1, values: [0, 0, 0] });
    port.move({ control: 1, values: [1, 0, 0] });
    port.move({ control: 1, values: [2, 0, 0] });
    port.move({ control: 2, values: [9, 0, 0] });
    expect(port.release({ control: 1, values: [2, 0, 0] })).toBe(1);
    port.shown(42);
    expect(port.flush()).toBe(1);
    const [message] = sent;
    expect([message?.getUint16(6, true), message?.getUint32(8, true), message?.getUint32(12, true)]).toEqual([4, 1, 42]);
    const record = (k: number) => [message?.getUint8(16 + 32 * k), message?.getUint8(17 + 32 * k), message?.getFloat32(24 + 32 * k, true)];
    expect([0, 1, 2, 3].map(record)).toEqual([[1, 1, 0], [1, 0, 2], [2, 0, 9], [1, 2, 2]]);
    port.flush();
    expect(sent[1]?.getUint16(6, true)).toBe(0);
  });

  it('may go before its frame, once', () => {
    const sent: ArrayBuffer[] = [];
    const port = new InputPort((message) => sent.push(message) > 0);
    port.move({ control: 0, values: [1, 0, 0] });
    expect(port.hurry()).toBe(1);
    port.move({ control: 0, values: [2, 0, 0] });
    expect(port.hurry()).toBe(null);
    expect(port.flush()).toBe(2);
    port.move({ control: 0, values: [3, 0, 0] });
    expect(port.hurry()).toBe(3);
    expect(sent.map((message) => new DataView(message).getUint16(6, true))).toEqual([1, 1, 1]);
  });
});

describe('state frames', () => {
  it('are decoded as documented', () => {
    const view = new DataView(new ArrayBuffer(32 + 16 + 36 + 16 + 8 + 16 + 24));
    view.setUint32(0, 0x53454747);
    view.setUint8(4, VERSION);
    view.setUint8(5, 5);
    view.setUint16(6, 3, true);
    [3, 2, 1, 9].forEach((word, k) => { view.setUint32(8 + 4 * k, word, true); });
    view.setFloat32(24, 0.5, true);
    view.setUint32(28, 800, true);
    const block = (at: number, kind: number, encoding: number, object: number, count: number, bytes: number) => {
      view.setUint8(at, kind);
      view.setUint8(at + 1, encoding);
      [object, count, bytes].forEach((word, k) => { view.setUint32(at + 4 + 4 * k, word, true); });
    };
    block(32, 1, 1, 7, 2, 36);
    [1, 2, 3, 2, 4, 0].forEach((number, k) => { view.setFloat32(48 + 4 * k, number, true); });
    [0, 0, 0, 65535, 65535, 65535].forEach((part, k) => { view.setUint16(72 + 2 * k, part, true); });
    block(84, 4, 0, 8, 2, 8);
    [0.25, -4].forEach((number, k) => { view.setFloat32(100 + 4 * k, number, true); });
    block(108, 3, 0, 9, 1, 24);
    view.setUint32(124, 5, true);
    [1, 2, 3].forEach((number, k) => { view.setFloat32(128 + 4 * k, number, true); });
    [0, 0, 32767, 0].forEach((part, k) => { view.setInt16(140 + 2 * k, part, true); });
    const frame = decodeStateFrame(view.buffer);
    expect(frame).toMatchObject({ sequence: 3, input: 2, revision: 1, tick: 9, speed: 0.5, step: 800 });
    expect([...(frame.positions.get(7) ?? [])]).toEqual([1, 2, 3, 3, 6, 3]);
    expect([...(frame.scalars.get(8) ?? [])]).toEqual([0.25, -4]);
    expect(frame.poses.get(9)).toEqual([{ id: 5, position: [1, 2, 3], orientation: [0, 0, 1, 0] }]);
    expect(() => decodeStateFrame(view.buffer.slice(0, 100))).toThrow('cut off');
  });
});

describe('keys', () => {
  const key = (name: string, modifiers: Partial<KeyboardEvent> = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers }) as KeyboardEvent;

  it('are what the registry says', () => {
    expect(matches('Ctrl+Z', key('z', { ctrlKey: true }))).toBe(true);
    expect(matches('Ctrl+Z', key('z', { metaKey: true }))).toBe(true);
    expect(matches('Ctrl+Z', key('Z', { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(matches('Ctrl+Shift+Z', key('Z', { ctrlKey: true, shiftKey: true }))).toBe(true);
    expect(matches('Z', key('z', { ctrlKey: true }))).toBe(false);
    expect(matches('N', key('N', { shiftKey: true }))).toBe(true);
    expect(matches('Arrows', key('ArrowLeft'))).toBe(true);
    expect(matches('Space', key(' '))).toBe(true);
    expect(matches('?', key('?', { shiftKey: true }))).toBe(true);
    expect(shownKeys('Ctrl+Shift+Z')).toBe('Ctrl Shift Z');
  });
});

describe('what a hand holds', () => {
  it('is the hand’s until the session has seen the release, and then goes over without a jump', () => {
    const value = new Predicted(0);
    value.hold(1);
    expect(value.at(0, 0, 0)).toBe(1);
    value.release(5);
    expect(value.at(0.016, 0.2, 4)).toBe(1);
    const first = value.at(0.032, 0.2, 5);
    expect(first).toBeLessThan(1);
    expect(first).toBeGreaterThan(0.7);
    let last = first;
    for (let k = 3; k < 60; k++) last = value.at(0.016 * k, 0.2, 5);
    expect(last).toBeCloseTo(0.2, 3);
  });

  it('goes by steps where that is wanted', () => {
    expect(snappedPlace([0.234, 1.07, 5.02], [0, 1.07, 0])).toEqual([0.2, 1.07, 5]);
    const [, , z, w] = snappedTurn([0, 0, Math.sin(0.15), Math.cos(0.15)], [0, 0, 0, 1]);
    expect(2 * Math.atan2(z, w)).toBeCloseTo(Math.PI / 12, 9);
  });
});
