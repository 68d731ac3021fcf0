// The timeline of an animation: keyframes as diamonds, and where it is.

import type { JSX, TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';

import { Button } from '../../ui/controls';
import type { Store } from './store';

/** Seconds that are shown at least. */
const SHORTEST = 2;

/** Sets a keyframe at the present time, or replaces the one there. */
export function setKey(store: Store): void {
  const time = Number(store.time.peek().toFixed(2));
  const most = store.link.facts.peek()?.most_keys ?? 0;
  const others = store.creature.keys.filter((key) => Math.abs(key.time - time) > 0.02);
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
  store.change('Remove a key', (creature) => ({ ...creature, keys: creature.keys.filter((key) => Math.abs(key.time - time) > 0.02) }));
}

export function Timeline({ store }: { store: Store }): JSX.Element {
  const field = useRef<HTMLDivElement>(null);
  const { keys } = store.document.value.value;
  const time = store.time.value;
  const longest = store.link.facts.value?.longest ?? 60;
  const shown = Math.min(Math.max(SHORTEST, (keys.at(-1)?.time ?? 0) * 1.25, time * 1.05), longest);
  const here = keys.some((key) => Math.abs(key.time - time) <= 0.02);
  const go = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const wanted = Math.min(Math.max(((event.clientX - box.left) / box.width) * shown, 0), longest);
    const near = keys.find((key) => (Math.abs(key.time - wanted) / shown) * box.width < 9);
    void store.scrub(Number((near?.time ?? wanted).toFixed(2)));
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
      <div ref={field} class="sketcher-track" role="slider" tabIndex={0} aria-label="Time" aria-valuemin={0} aria-valuemax={shown} aria-valuenow={time} aria-valuetext={`${time.toFixed(2)} seconds`} onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        if (store.playing.peek()) store.play(false);
        store.document.begin('Scrub');
        go(event);
      }} onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) go(event);
      }} onPointerUp={() => {
        store.document.commit();
      }} onPointerCancel={() => {
        store.document.cancel();
      }} onKeyDown={(event) => {
        const way = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
        if (way === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        step(way);
      }}>
        <span class="sketcher-line" />
        {keys.map((key) => <span key={key.time} class="sketcher-key" data-here={Math.abs(key.time - time) <= 0.02} style={{ left: `${(100 * key.time) / shown}%` }} />)}
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
