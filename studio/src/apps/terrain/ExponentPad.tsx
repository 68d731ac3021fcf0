// The exponent widget of paper 001, section 4.3, for the chosen body: in the panel, and under a finger that holds a body.

import './ExponentPad.css';

import { effect } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Quaternion, Vector3 } from 'three';

import { theme } from '../../base/theme';
import type { Frame } from '../../link/geometry';
import { unitSuperellipsoid } from '../../shapes/superellipsoid';
import { shown } from '../../ui/controls';
import { GRID, PadView } from '../../widgets/pad';
import type { Hill } from './messages';
import type { Store } from './store';
import type { View } from './view';

const STEP = 0.05;

/** The body of a cell, as a session would send it. */
function preview([a, b, c]: Hill['radii'], cell: number): Frame {
  const exponent = (index: number) => (2 * (index + 0.5)) / GRID;
  const unit = unitSuperellipsoid([exponent(cell % GRID), exponent(Math.floor(cell / GRID))]);
  const scaled = unit.clone().scale(a, b, c);
  const array = (name: string) => new Float32Array(scaled.getAttribute(name).array);
  const triangles = new Uint16Array(scaled.getIndex()?.array ?? []);
  return { kind: 'preview', id: 0, index: cell, positions: array('position'), normals: array('normal'), triangles };
}

export function ExponentPad({ store, view, id }: { store: Store; view: View; id: number }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hill = store.document.value.value.hills.find((other) => other.id === id);
  const [e1, e2] = hill?.exponents ?? [1, 1];

  useEffect(() => {
    if (!canvas.current) return undefined;
    let sized = '';
    const draw = () => {
      const present = store.hill(id);
      if (!present) return;
      const key = present.radii.map((radius) => radius.toFixed(2)).join();
      if (key !== sized) {
        sized = key;
        for (let cell = 0; cell < GRID * GRID; cell++) pad.showPreview(preview(present.radii, cell));
      }
      const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), present.turn);
      const facing = view.orbit.camera.quaternion.clone().invert().multiply(turn);
      const colours = theme.peek() === 'dark' ? { dull: '#6f7b8c', bright: '#f0a330' } : { dull: '#a9b0b8', bright: '#f0a330' };
      const body = unitSuperellipsoid(present.exponents).clone().scale(...present.radii);
      body.computeBoundingSphere();
      // The same shape has the same name, so that it is drawn once.
      body.uuid = `${key} ${present.exponents.join()}`;
      pad.draw(facing, body, present.exponents, colours);
    };
    const pad = new PadView(canvas.current, draw);
    const stop = effect(() => {
      if (store.document.value.value.hills.length > 0) draw();
    });
    view.onDrawn.add(draw);
    return () => {
      stop();
      view.onDrawn.delete(draw);
      pad.dispose();
    };
  }, [id]);

  const choose = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const [across, along] = [(2 * (event.clientX - box.left)) / box.width, 2 - (2 * (event.clientY - box.top)) / box.height];
    store.adjustHill(id, (old) => ({ ...old, exponents: [across, along] }));
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
          store.begin('Shape');
          choose(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) choose(event);
        }}
        onPointerUp={() => {
          store.commit();
        }}
        onPointerCancel={() => {
          store.cancel();
        }}
        onKeyDown={(event) => {
          const moves: Record<string, [number, number]> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
          const move = moves[event.key];
          if (!move) return;
          event.preventDefault();
          event.stopPropagation();
          store.begin('Shape');
          store.adjustHill(id, (old) => ({ ...old, exponents: [old.exponents[0] + move[0], old.exponents[1] + move[1]] }));
          store.commit();
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
