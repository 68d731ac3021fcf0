// A cube in the corner that shows how the view is turned; a press on a face looks straight at it.

import './ViewCube.css';

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Orbit } from '../stage/camera';

interface CubeProps {
  rig: Orbit;
  /** Called after every drawn frame. */
  onDrawn: Set<() => void>;
  onChange: () => void;
}

/** Faces: their names, where the camera goes, and how they lie on the cube. */
const FACES: { name: string; azimuth: number | null; elevation: number; turn: string }[] = [
  { name: 'Front', azimuth: -Math.PI / 2, elevation: 0, turn: 'rotateY(0deg)' },
  { name: 'Right', azimuth: 0, elevation: 0, turn: 'rotateY(90deg)' },
  { name: 'Back', azimuth: Math.PI / 2, elevation: 0, turn: 'rotateY(180deg)' },
  { name: 'Left', azimuth: Math.PI, elevation: 0, turn: 'rotateY(-90deg)' },
  { name: 'Top', azimuth: null, elevation: Math.PI / 2 - 0.02, turn: 'rotateX(90deg)' },
  { name: 'Below', azimuth: null, elevation: -Math.PI / 2 + 0.02, turn: 'rotateX(-90deg)' },
];

export function ViewCube({ rig, onDrawn, onChange }: CubeProps): JSX.Element {
  const cube = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let shown = '';
    const turn = () => {
      const degrees = (angle: number) => (angle * 180) / Math.PI;
      const wanted = `rotateX(${(-degrees(rig.elevation)).toFixed(1)}deg) rotateY(${(-degrees(rig.azimuth) - 90).toFixed(1)}deg)`;
      if (wanted === shown || !cube.current) return;
      shown = wanted;
      cube.current.style.transform = wanted;
    };
    onDrawn.add(turn);
    turn();
    return () => {
      onDrawn.delete(turn);
    };
  }, []);
  return (
    <div class="view-cube" role="group" aria-label="Look from">
      <div class="view-cube-turn" ref={cube}>
        {FACES.map(({ name, azimuth, elevation, turn }) => (
          <button key={name} type="button" tabIndex={-1} aria-label={`Look from: ${name}`} style={{ transform: `${turn} translateZ(19px)` }} onClick={() => {
            rig.look(azimuth ?? rig.azimuth, elevation);
            onChange();
          }}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}
