// The superellipsoid parameter widget of paper 001, section 4.3: press and slide over a grid of little bodies to choose
// both exponents at once. It lives in the shape panel, and opens under a finger that holds a body.

import './ParameterPad.css';

import { effect } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Quaternion } from 'three';

import { theme } from '../../base/theme';
import { shown } from '../../ui/controls';
import { GRID, PadView } from '../../widgets/pad';
import type { Store } from './store';
import { clampExponent } from './tools';
import type { View } from './view';

/** Half-steps of the arrow keys. */
const STEP = 0.05;

interface PadProps {
  store: Store;
  stage: View;
  id: number;
}

export function ParameterPad({ store, stage, id }: PadProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const body = store.scene.value.bodies.find((other) => other.id === id);
  const [e1, e2] = body?.exponents ?? [1, 1];

  useEffect(() => {
    if (!canvas.current) return undefined;
    const view = new PadView(canvas.current, () => {
      draw();
    });
    let wanted = 0;
    let shape = '';
    let timer: number | undefined;
    const draw = () => {
      const present = store.scene.peek().bodies.find((other) => other.id === id);
      if (!present?.exponents) return;
      const facing = stage.orbit.camera.quaternion.clone().invert().multiply(new Quaternion(...present.orientation).normalize());
      const colours = theme.peek() === 'dark' ? { dull: '#6f7b8c', bright: '#f0a330' } : { dull: '#a9b0b8', bright: '#f0a330' };
      view.draw(facing, stage.bodyView(id)?.geometry ?? null, present.exponents, colours);
    };
    const listen = (frame: Parameters<PadView['showPreview']>[0]) => {
      if (frame.id !== wanted) return;
      view.showPreview(frame);
      if (frame.index === GRID * GRID - 1) draw();
    };
    stage.onDrawn.add(draw);
    stage.onPreview.add(listen);
    // New radii or tapers, or a new connection, need new previews.
    const stop = effect(() => {
      const present = store.scene.value.bodies.find((other) => other.id === id);
      const open = store.link.state.value === 'open';
      const key = open ? JSON.stringify([present?.radii, present?.taper]) : '';
      if (key === shape || key === '' || !present?.radii) return;
      shape = key;
      window.clearTimeout(timer);
      // Not before the server knows the shape.
      timer = window.setTimeout(() => {
        wanted = store.previews(id, GRID);
      }, 80);
    });
    draw();
    return () => {
      window.clearTimeout(timer);
      stop();
      stage.onDrawn.delete(draw);
      stage.onPreview.delete(listen);
      view.dispose();
    };
  }, [id]);

  const choose = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = (2 * (event.clientX - box.left)) / box.width;
    const up = 2 - (2 * (event.clientY - box.top)) / box.height;
    store.adjustBody(id, (old) => ({ ...old, exponents: [clampExponent(at), clampExponent(up)] }));
  };
  const nudge = (d1: number, d2: number) => {
    store.changeBody(id, (old) => {
      const [a, b] = old.exponents ?? [1, 1];
      return { ...old, exponents: [clampExponent(a + d1), clampExponent(b + d2)] };
    });
  };

  return (
    <div class="pad">
      <div
        ref={root}
        class="pad-field"
        role="slider"
        tabIndex={0}
        aria-label="Exponents"
        aria-valuetext={`roundness across ${e1}, along ${e2}`}
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
          nudge(...move);
        }}
      >
        <canvas ref={canvas} />
        <span class="pad-cross-x" style={{ left: `${50 * e1}%` }} />
        <span class="pad-cross-y" style={{ bottom: `${50 * e2}%` }} />
      </div>
      <div class="pad-scale">
        <span>square</span>
        <b title="Exponent e₁, in the plane across its axis">across {shown(e1, 2)}</b>
        <b title="Exponent e₂, along its axis">along {shown(e2, 2)}</b>
        <span>sharp</span>
      </div>
    </div>
  );
}
