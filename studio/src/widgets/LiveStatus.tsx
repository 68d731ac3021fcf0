// What is said of a session that moves by itself: that it falls behind, or waits for a core.

import './LiveStatus.css';

import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';

/** Part of real time below which it is said. */
const SLOW = 0.8;

interface LiveStatusProps {
  store: { speed: ReadonlySignal<number>; link: { place: ReadonlySignal<number> } };
  /** Something moves. */
  moving: boolean;
}

export function LiveStatus({ store, moving }: LiveStatusProps): JSX.Element | null {
  const [speed, place] = [store.speed.value, store.link.place.value];
  if (place > 0) return <p class="live-status" role="status">waiting for a free core: {place} to be served</p>;
  return moving && speed < SLOW ? <p class="live-status" role="status">slow motion {speed.toFixed(1)}×</p> : null;
}
