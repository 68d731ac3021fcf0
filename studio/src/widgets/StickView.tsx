// A stick as it is seen while a finger holds it.

import './StickView.css';

import type { JSX } from 'preact';

import type { Stick } from '../input/stick';

export function StickView({ stick }: { stick: Stick }): JSX.Element | null {
  const held = stick.held.value;
  if (!held) return null;
  const { from, knob } = held;
  return (
    <div class="stick" style={{ left: `${from.x}px`, top: `${from.y}px` }}>
      <div class="stick-knob" style={{ transform: `translate(${knob.x - from.x}px, ${knob.y - from.y}px)` }} />
    </div>
  );
}
