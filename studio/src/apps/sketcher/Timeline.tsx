// The timeline of an animation: keyframes as diamonds, and where it is.

import type { JSX, TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';

import { Button } from '../../ui/controls';
import type { Store } from './store';

/** Seconds that are shown at least. */
const SHORTEST = 2;
/** Seconds within which a key is where the time is, and that keys stay apart. */
const [NEAR, APART] = [0.02, 0.05];
/** Pixels within which a finger means a key, and that it may stray without moving it. */
const REACH = { touch: 18, mouse: 9 };
const STILL = 4;

/** Sets a keyframe at the present time, or replaces the one there. */
export function setKey(store: Store): void {
  const time = Number(store.time.peek().toFixed(2));
  const most = store.link.facts.peek()?.most_keys ?? 0;
  const others = store.creature.keys.filter((key) => Math.abs(key.time - time) > NEAR);
  if (others.length >= most) {
    store.say(`There is room for ${most} keyframes.`, 'error');
    return;
  }
  store.change('Key', (creature) => ({ ...creature, keys: [...others, { time, stance: creature.stance }].sort((a, b) => a.time - b.time) }));
  store.say(`Key at ${time.toFixed(2)} s.`);
}

/** Takes away the keyframe at the present time. */
export function removeKey(store: Store): void {
  const time = store.time.peek();
  store.change('Remove a key', (creature) => ({ ...creature, keys: creature.keys.filter((key) => Math.abs(key.time - time) > NEAR) }));
}

/** Puts a keyframe to another time, as far as its neighbours leave room. Returns where it is. */
export function moveKey(store: Store, from: number, wanted: number): number {
  const { keys } = store.creature;
  const index = keys.findIndex((key) => key.time === from);
  const least = index > 0 ? (keys[index - 1]?.time ?? 0) + APART : 0;
  const most = (keys[index + 1]?.time ?? (store.link.facts.peek()?.longest ?? 60) + APART) - APART;
  const time = Number(Math.min(Math.max(wanted, least), Math.max(most, least)).toFixed(2));
  if (index < 0 || time === from) return from;
  store.document.adjust((creature) => ({ ...creature, keys: creature.keys.map((key) => (key.time === from ? { ...key, time } : key)) }));
  store.time.value = time;
  return time;
}

/** What a finger holds of the timeline. */
interface Grip {
  /** Seconds across the whole track, which stay what they were while a key is moved. */
  shown: number;
  x: number;
  /** The time of the key under it, and whether it goes along. */
  key: number | null;
  moved: boolean;
}

export function Timeline({ store }: { store: Store }): JSX.Element {
  const grip = useRef<Grip | null>(null);
  const scrubbed = useRef<Promise<void>>(Promise.resolve());
  const { keys } = store.document.value.value;
  const time = store.time.value;
  const longest = store.link.facts.value?.longest ?? 60;
  const shown = grip.current?.shown ?? Math.min(Math.max(SHORTEST, (keys.at(-1)?.time ?? 0) * 1.25, time * 1.05), longest);
  const here = keys.some((key) => Math.abs(key.time - time) <= NEAR);
  const timeAt = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(Math.max(((event.clientX - box.left) / box.width) * shown, 0), longest);
  };
  const scrub = (to: number) => {
    scrubbed.current = store.scrub(Number(to.toFixed(2)));
  };
  const press = (event: TargetedPointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    if (store.playing.peek()) store.play(false);
    const wanted = timeAt(event);
    const { width } = event.currentTarget.getBoundingClientRect();
    const reach = (event.pointerType === 'touch' ? REACH.touch : REACH.mouse) * (shown / width);
    const near = keys.filter((key) => Math.abs(key.time - wanted) < reach).sort((a, b) => Math.abs(a.time - wanted) - Math.abs(b.time - wanted))[0];
    store.document.begin(near ? 'Move a key' : 'Scrub');
    grip.current = { shown, x: event.clientX, key: near?.time ?? null, moved: false };
    if (near) {
      store.time.value = near.time;
      store.document.adjust((creature) => ({ ...creature, stance: near.stance }));
    } else scrub(wanted);
  };
  const move = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const held = grip.current;
    if (!held) return;
    held.moved ||= Math.abs(event.clientX - held.x) > STILL;
    if (held.key === null) scrub(timeAt(event));
    else if (held.moved) held.key = moveKey(store, held.key, timeAt(event));
  };
  // The pose of the last place is on its way.
  const release = () => {
    if (grip.current === null) return;
    grip.current = null;
    void scrubbed.current.finally(() => {
      store.document.commit();
    });
  };
  const step = (by: number) => {
    store.document.begin('Scrub');
    void store.scrub(Number(Math.min(Math.max(time + by, 0), longest).toFixed(2))).finally(() => {
      store.document.commit();
    });
  };
  return (
    <div class="sketcher-timeline">
      <Button icon={store.playing.value ? 'pause' : 'play'} label={store.playing.value ? 'Pause' : 'Play'} onClick={() => {
        store.play(!store.playing.peek());
      }} />
      <div class="sketcher-track" role="slider" tabIndex={0} aria-label="Time" aria-valuemin={0} aria-valuemax={shown} aria-valuenow={time} aria-valuetext={`${time.toFixed(2)} seconds`} onPointerDown={press} onPointerMove={move} onPointerUp={release} onPointerCancel={() => {
        grip.current = null;
        store.document.cancel();
      }} onKeyDown={(event) => {
        const way = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
        if (way === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        step(way);
      }}>
        <span class="sketcher-line" />
        {keys.map((key) => <span key={key.time} class="sketcher-key" data-here={Math.abs(key.time - time) <= NEAR} style={{ left: `${(100 * key.time) / shown}%` }} />)}
        <span class="sketcher-now" style={{ left: `${(100 * Math.min(time, shown)) / shown}%` }} />
      </div>
      <span class="sketcher-seconds">{time.toFixed(2)} s</span>
      <Button icon="key" label="Set a key here" wordy text="Key" onClick={() => {
        setKey(store);
      }} />
      <Button icon="trash" label="Remove the key here" disabled={!here} onClick={() => {
        removeKey(store);
      }} />
    </div>
  );
}
