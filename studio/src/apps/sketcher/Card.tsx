// The card of Multibody Sketcher: a figure, half a drawing, half flesh.

import './sketcher.css';

import type { JSX } from 'preact';

const BONES = ['M210 62V120', 'M210 72 150 96 104 70', 'M210 72 270 96 318 66', 'M210 120 176 156 168 194', 'M210 120 246 156 256 194', 'M210 62V40'];
const JOINTS = [[210, 62], [210, 120], [150, 96], [104, 70], [270, 96], [318, 66], [176, 156], [246, 156], [168, 194], [256, 194]];
const FLESH: [number, number, number, number, number][] = [[210, 34, 17, 21, 0], [210, 94, 26, 34, 0], [241, 86, 13, 34, 112], [295, 82, 11, 31, 58], [229, 139, 14, 30, -45], [252, 176, 11, 26, -14]];

export function Card(): JSX.Element {
  return (
    <span class="card-picture">
      <svg class="sketcher-picture" viewBox="0 0 420 200" preserveAspectRatio="xMidYMid slice" role="img" aria-label="A figure that is drawn with strokes and fleshed out with smooth bodies">
        <path class="paper" d="M0 50h420M0 100h420M0 150h420M70 0v200M140 0v200M210 0v200M280 0v200M350 0v200" />
        {FLESH.map(([x, y, a, b, turn]) => <ellipse key={`${x} ${y}`} class="flesh" cx={x} cy={y} rx={a} ry={b} transform={`rotate(${turn} ${x} ${y})`} />)}
        {BONES.map((bone) => <path key={bone} class="bone" d={bone} />)}
        {JOINTS.map(([x, y]) => <circle key={`${x} ${y}`} class="joint" cx={x} cy={y} r="5" />)}
        <path class="stroke" d="M96 112c-14-18-4-62 16-64s30 34 18 62-28 18-34 2" />
      </svg>
    </span>
  );
}
