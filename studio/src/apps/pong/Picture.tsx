// The game in one picture: a paddle that moves along its line and tilts, and a ball that becomes other superellipses.

import type { JSX } from 'preact';

import { outline } from './court';

const SHAPES: [number, [number, number]][] = [[1, [17, 17]], [0.35, [16, 16]], [0.6, [21, 13]], [1.5, [15, 22]]];

export function Picture(): JSX.Element {
  const path = (exponent: number, radii: [number, number]) =>
    `M${outline(radii, exponent, 72).map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`;
  return (
    <svg class="pong-picture" viewBox="0 0 420 200" role="img" aria-label="Slide a finger along the line to move the paddle, across the line to tilt it. The ball changes its shape.">
      <line class="court-line" x1="70" y1="26" x2="70" y2="188" />
      <g class="arrows">
        <path d="M40 78V28M40 28l-7 10M40 28l7 10M40 122v50M40 172l-7-10M40 172l7-10" />
        <path d="M96 176h44M140 176l-9-6M140 176l-9 6" />
      </g>
      <g transform="rotate(16 70 100)"><line class="paddle" x1="70" y1="58" x2="70" y2="142" /></g>
      <line class="paddle faint" x1="70" y1="58" x2="70" y2="142" />
      <circle class="finger" cx="70" cy="100" r="15" />
      <text x="150" y="181">slide to tilt</text>
      <text x="24" y="14">slide to move</text>
      {SHAPES.map(([exponent, radii], index) => (
        <path key={index} class="ball" d={path(exponent, radii)} style={{ opacity: 0.35 + 0.2 * index }} transform={`translate(${140 + 72 * index} ${110 - 55 * Math.sin(0.6 + 0.8 * index)}) rotate(${24 * index})`} />
      ))}
      <path class="way" d="M92 100 Q 210 20 390 96" />
    </svg>
  );
}
