// The motion of a scene: play it, put keys, and see distance and time over it.

import './Timeline.css';

import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

import { meter } from '../../base/meter';
import { moves, withKey, withoutKey } from '../../shapes/motion';
import { Chart, type ChartCurve } from '../../ui/chart';
import { Button, Numeric } from '../../ui/controls';
import { duration, short } from '../../ui/format';
import { Icon } from '../../ui/icons';
import type { Plot } from './messages';
import type { Store } from './store';

export function Timeline({ store }: { store: Store }): JSX.Element {
  const scene = store.scene.value;
  const plot = store.plot.value;
  const time = store.time.value;
  const body = store.selected.value;
  const moving = moves(scene);
  const playing = store.playing.value;
  useEffect(() => (playing ? play(store) : undefined), [playing]);
  const near = body?.keys?.find((key) => Math.abs(key.time - time) < 0.02 * scene.duration);
  const keys = (body ? [body] : scene.bodies).flatMap((other) => (other.keys ?? []).map((key) => key.time));
  const axis = useMemo(() => plot?.times ?? [0, scene.duration], [plot, scene.duration]);
  const moments = useMemo(() => plot?.impacts.map((impact) => impact.time) ?? [], [plot]);
  const curves = useMemo(() => (plot ? curvesOf(plot) : []), [plot]);
  return (
    <section class="timeline" aria-label="Motion">
      <div class="timeline-bar">
        <Button icon={playing ? 'pause' : 'play'} label={playing ? 'Pause' : 'Play'} disabled={!moving} onClick={() => {
          store.playing.value = !playing;
        }} />
        <Button icon="key" label={near ? 'Replace the key here' : 'Put a key here'} disabled={!body} onClick={() => {
          if (body) store.changeBody(body.id, (old) => withKey(old, near?.time ?? time));
        }} />
        <Button icon="trash" label="Remove the key here" disabled={!near} onClick={() => {
          if (body && near) store.changeBody(body.id, (old) => withoutKey(old, near.time));
        }} />
        <Button icon="impact" label="Go to the next contact" disabled={!plot?.impacts.length} onClick={() => {
          store.nextImpact();
        }} />
        {moving && <Moments store={store} />}
        <span class="timeline-time">
          {time.toFixed(2)} <span class="unit">of</span>
        </span>
        <Numeric label="Duration" value={scene.duration} digits={1} unit="s" onChange={(value) => {
          store.change((old) => ({ ...old, duration: Math.min(Math.max(value, 0.1), 3600) }));
        }} />
      </div>
      {moving ? (
        <Chart
          label="Distance and time of a query over the motion"
          x={axis}
          cursor={time}
          keys={keys}
          marks={moments}
          curves={curves}
          onSeek={(to) => {
            store.playing.value = false;
            store.seek(to);
          }}
          onSeekEnd={() => {
            store.refreshTrace();
          }}
        />
      ) : (
        <p class="hint">
          Nothing moves yet. Choose a body and put a key; go to another time, move the body, and put the next.{' '}
          <input
            type="range"
            aria-label="Time"
            min={0}
            max={scene.duration}
            step={0.01}
            value={time}
            onInput={(event) => {
              store.seek(Number(event.currentTarget.value));
            }}
          />
        </p>
      )}
    </section>
  );
}

function curvesOf(plot: Plot): ChartCurve[] {
  return [
    { name: 'query', values: plot.nanoseconds, log: true, second: true, format: duration },
    { name: 'distance', values: plot.distances, log: false, signed: true, format: (value) => `${short(value)} m` },
  ];
}

/** When the bodies come into contact, and how that is known. */
function Moments({ store }: { store: Store }): JSX.Element | null {
  const plot = store.plot.value;
  if (!plot) return null;
  if (plot.impact_refusal !== null) return <p class="moments hint" title={plot.impact_refusal}>no moment of contact for this pair</p>;
  const { impacts } = plot;
  const [first] = impacts;
  // A pair whose distance has no certificate has no certain moments either.
  const proved = typeof store.contact.value?.answer?.lower === 'number';
  if (!first) {
    const title = proved ? 'Proved for every instant, not only for those that are plotted' : 'As far as distances without a certificate tell';
    return <p class={`moments ${proved ? 'free' : 'hint'}`} title={title}>{proved && <Icon name="shield" />}never in contact</p>;
  }
  const at = impacts.find((impact) => Math.abs(impact.time - store.time.value) < 1e-3) ?? first;
  const more = impacts.length > 1 ? `, ${impacts.length} times` : '';
  return (
    <p class="moments" data-testid="moments" title={`${proved ? 'Proved free of contact before' : 'Free of contact before, as far as distances without a certificate tell'}; ${at.queries} queries in ${duration(at.nanoseconds)}`}>
      <span>contact at <b>{at.time.toFixed(4)} s</b>{more}</span>
      <span class="unit">found in {duration(at.nanoseconds)}</span>
    </p>
  );
}

/** Runs the motion to and fro until it is stopped. */
export function play(store: Store): () => void {
  let last: number | null = null;
  let direction = 1;
  let handle = 0;
  const tick = (now: number) => {
    const { duration: end } = store.scene.peek();
    const elapsed = last === null ? 0 : Math.min((now - last) / 1000, 0.1);
    last = now;
    let time = store.time.peek() + direction * elapsed;
    if (time > end) [time, direction] = [2 * end - time, -1];
    if (time < 0) [time, direction] = [-time, 1];
    meter.work(() => {
      store.seek(time);
    });
    handle = requestAnimationFrame(tick);
  };
  handle = requestAnimationFrame(tick);
  return () => {
    cancelAnimationFrame(handle);
  };
}
