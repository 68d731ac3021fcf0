// The exponent widget under a finger that holds a body: its cursor begins where the finger is.

import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';

/** Width of the widget, in pixels. */
export function padSize(): number {
  return Math.min(300, 0.8 * window.innerWidth);
}

interface HeldPadProps {
  /** Where the finger came down on the stage. */
  at: { x: number; y: number };
  /** Of the body as it was then. */
  exponents: [number, number];
  children: ComponentChildren;
}

export function HeldPad({ at, exponents, children }: HeldPadProps): JSX.Element | null {
  const [e1, e2] = useRef(exponents).current;
  const main = document.querySelector('.lab-main')?.getBoundingClientRect();
  if (!main) return null;
  const size = padSize();
  const within = (place: number, most: number) => Math.min(Math.max(place, 8), Math.max(most, 8));
  const left = within(at.x - (e1 / 2) * size, main.width - size - 24);
  const top = within(at.y - (1 - e2 / 2) * size, main.height - size - 60);
  return <div class="exponents-held" style={{ left: `${left}px`, top: `${top}px`, width: `${size}px` }}>{children}</div>;
}
