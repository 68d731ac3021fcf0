// The exponent widget of paper 001, section 4.3, drawn by the client itself: in a panel, and under a finger that holds a body.

import './ExponentPad.css';

import { effect } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Quaternion } from 'three';

import { theme } from '../base/theme';
import type { Frame } from '../link/geometry';
import { unitSuperellipsoid } from '../shapes/superellipsoid';
import { shown } from '../ui/controls';
import { GRID, PadView } from './pad';

const STEP = 0.05;

/** What is shaped. */
export interface PadShape {
  radii: [number, number, number];
  exponents: [number, number];
  orientation: Quaternion;
}

interface PadProps {
  /** What is shaped now; read again whenever it may have changed. */
  shape: () => PadShape | null;
  /** How the viewer is turned, and who draws. */
  view: { rig: { camera: { quaternion: Quaternion } }; onDrawn: Set<() => void> };
  onBegin: () => void;
  onInput: (exponents: [number, number]) => void;
  onCommit: () => void;
  onCancel: () => void;
}

/** The body of a cell, as a session would send it. */
function preview([a, b, c]: PadShape['radii'], cell: number): Frame {
  const exponent = (index: number) => (2 * (index + 0.5)) / GRID;
  const unit = unitSuperellipsoid([exponent(cell % GRID), exponent(Math.floor(cell / GRID))]);
  const scaled = unit.clone().scale(a, b, c);
  const array = (name: string) => new Float32Array(scaled.getAttribute(name).array);
  const triangles = new Uint16Array(scaled.getIndex()?.array ?? []);
  return { kind: 'preview', id: 0, index: cell, positions: array('position'), normals: array('normal'), triangles };
}

export function ExponentPad({ shape, view, onBegin, onInput, onCommit, onCancel }: PadProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [e1, e2] = shape()?.exponents ?? [1, 1];

  useEffect(() => {
    if (!canvas.current) return undefined;
    let sized = '';
    const draw = () => {
      const present = shape();
      if (!present) return;
      const key = present.radii.map((radius) => radius.toFixed(2)).join();
      if (key !== sized) {
        sized = key;
        for (let cell = 0; cell < GRID * GRID; cell++) pad.showPreview(preview(present.radii, cell));
      }
      const facing = view.rig.camera.quaternion.clone().invert().multiply(present.orientation);
      const colours = theme.peek() === 'dark' ? { dull: '#6f7b8c', bright: '#f0a330' } : { dull: '#a9b0b8', bright: '#f0a330' };
      const body = unitSuperellipsoid(present.exponents).clone().scale(...present.radii);
      body.computeBoundingSphere();
      // The same shape has the same name, so that it is drawn once.
      body.uuid = `${key} ${present.exponents.join()}`;
      pad.draw(facing, body, present.exponents, colours);
    };
    const pad = new PadView(canvas.current, draw);
    const stop = effect(draw);
    view.onDrawn.add(draw);
    return () => {
      stop();
      view.onDrawn.delete(draw);
      pad.dispose();
    };
  }, []);

  const choose = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const [across, along] = [(2 * (event.clientX - box.left)) / box.width, 2 - (2 * (event.clientY - box.top)) / box.height];
    onInput([across, along]);
  };
  return (
    <div class="exponents">
      <div
        class="exponents-field"
        role="slider"
        tabIndex={0}
        aria-label="Exponents"
        aria-valuetext={`roundness across ${e1.toFixed(2)}, along ${e2.toFixed(2)}`}
        aria-valuenow={e1}
        aria-valuemin={0}
        aria-valuemax={2}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          onBegin();
          choose(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) choose(event);
        }}
        onPointerUp={() => {
          onCommit();
        }}
        onPointerCancel={() => {
          onCancel();
        }}
        onKeyDown={(event) => {
          const moves: Record<string, [number, number]> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
          const move = moves[event.key];
          if (!move) return;
          event.preventDefault();
          event.stopPropagation();
          onBegin();
          onInput([e1 + move[0], e2 + move[1]]);
          onCommit();
        }}
      >
        <canvas ref={canvas} />
        <span class="exponents-x" style={{ left: `${50 * e1}%` }} />
        <span class="exponents-y" style={{ bottom: `${50 * e2}%` }} />
      </div>
      <div class="exponents-scale">
        <span>square</span>
        <b>across {shown(e1, 2)}</b>
        <b>along {shown(e2, 2)}</b>
        <span>sharp</span>
      </div>
    </div>
  );
}
