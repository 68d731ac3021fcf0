// Where one viewport ends and the next begins, with their names.

import './Viewports.css';

import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';

import type { Rectangle } from '../stage/stage';

export function Viewports({ layout }: { layout: ReadonlySignal<Rectangle[]> }): JSX.Element {
  return (
    <>
      {layout.value.map(({ name, left, top, width, height }) => (
        <div key={name} class="viewport" style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}>
          <span>{name}</span>
        </div>
      ))}
    </>
  );
}
