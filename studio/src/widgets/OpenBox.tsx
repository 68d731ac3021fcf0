// The open-box camera widget of paper 001, section 4.2: a cube that is the space around what is drawn. Touching a face looks at it from
// there; the back, the bottom and the left face are folded outwards, so that all six are seen. In the middle is the seventh view, which
// goes round freely.

import './OpenBox.css';

import type { JSX } from 'preact';

export type BoxFace = 'front' | 'back' | 'left' | 'right' | 'top' | 'bottom' | 'free';

type Pair = [number, number];

/** The cube on the screen: where its lower left front corner is, and its edges to the right, to the back and up. */
const CORNER: Pair = [44, 94];
const [RIGHT, BACK, UP]: [Pair, Pair, Pair] = [[46, 7], [24, -19], [0, -47]];
/** How long a folded face looks. */
const FOLDED = 0.62;

function at(right: number, back: number, up: number): string {
  const [x, y] = [0, 1].map((k) => (CORNER[k] ?? 0) + right * (RIGHT[k] ?? 0) + back * (BACK[k] ?? 0) + up * (UP[k] ?? 0));
  return `${(x ?? 0).toFixed(1)},${(y ?? 0).toFixed(1)}`;
}

/** Corners of the faces; folded ones hang on an edge of the open box. */
const FACES: { face: BoxFace; points: string; name: string }[] = [
  { face: 'back', name: 'Back', points: [at(0, 1, 1), at(1, 1, 1), at(1, 1, 1 + FOLDED), at(0, 1, 1 + FOLDED)].join(' ') },
  { face: 'left', name: 'Left', points: [at(0, 0, 0), at(0, 0, 1), at(-FOLDED, 0, 1), at(-FOLDED, 0, 0)].join(' ') },
  { face: 'bottom', name: 'Bottom', points: [at(0, 0, 0), at(1, 0, 0), at(1, 0, -FOLDED), at(0, 0, -FOLDED)].join(' ') },
  { face: 'top', name: 'Top', points: [at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)].join(' ') },
  { face: 'right', name: 'Right', points: [at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)].join(' ') },
  { face: 'front', name: 'Front', points: [at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)].join(' ') },
];

interface OpenBoxProps {
  value: BoxFace;
  onChange: (face: BoxFace) => void;
}

export function OpenBox({ value, onChange }: OpenBoxProps): JSX.Element {
  const pick = (face: BoxFace) => ({
    role: 'radio' as const,
    tabIndex: 0,
    'aria-checked': face === value,
    'data-face': face,
    onClick: () => {
      onChange(face);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      onChange(face);
    },
  });
  const [x, y] = at(0.62, 0.3, 0.62).split(',');
  return (
    <svg class="open-box" viewBox="12 0 106 132" role="radiogroup" aria-label="View">
      {FACES.map(({ face, name, points }) => (
        <polygon key={face} points={points} {...pick(face)} aria-label={`${name} view`}>
          <title>{name}</title>
        </polygon>
      ))}
      <g {...pick('free')} class="open-box-free" aria-label="Free view">
        <title>Go round freely</title>
        <circle cx={x} cy={y} r="11" />
        <path d="M0-6.5c3.2 0 4.8 4 4.8 7.2a4.8 5.2 0 0 1-9.6 0c0-3.2 1.6-7.2 4.8-7.2z" transform={`translate(${x} ${y})`} />
      </g>
    </svg>
  );
}
