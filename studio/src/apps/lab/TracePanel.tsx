// How a method came to its answer, step by step.

import './TracePanel.css';

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { Button } from '../../ui/controls';
import { Chart, type ChartCurve } from '../../ui/chart';
import { short } from '../../ui/format';
import type { Store } from './store';

export function TracePanel({ store }: { store: Store }): JSX.Element {
  const trace = store.trace.value;
  const [axis, curves] = useMemo(() => {
    const [main, second] = trace?.curves ?? [];
    const drawn: ChartCurve[] = [
      ...(second ? [{ ...second, second: true, format: short }] : []),
      ...(main ? [{ ...main, format: short }] : []),
    ];
    return [trace?.steps.map((_, index) => index) ?? [], drawn];
  }, [trace]);
  if (!trace) return <section class="trace" aria-label="Trace"><p class="hint">There is no pair to trace.</p></section>;
  const last = trace.steps.length - 1;
  const at = Math.min(store.step.value, last);
  const step = trace.steps[at];
  const go = (to: number) => {
    store.step.value = Math.min(Math.max(to, 0), last);
  };
  const [main] = trace.curves;
  return (
    <section class="trace" aria-label="Trace">
      <div class="timeline-bar">
        <Button icon="first" label="First step" disabled={at <= 0} onClick={() => {
          go(0);
        }} />
        <Button icon="back" label="Step back" disabled={at <= 0} onClick={() => {
          go(at - 1);
        }} />
        <Button icon="forward" label="Step on" disabled={at >= last} onClick={() => {
          go(at + 1);
        }} />
        <Button icon="last" label="Last step" disabled={at >= last} onClick={() => {
          go(last);
        }} />
        <p class="trace-text" data-testid="trace-text">
          <b>{step?.title}</b> {step?.text}
          {trace.omitted > 0 && <span class="hint"> ({trace.omitted} steps left out)</span>}
        </p>
        <span class="timeline-time">
          {at + 1} <span class="unit">of {trace.steps.length}</span>
        </span>
      </div>
      {main && main.values.filter((value) => value !== null).length > 1 && (
        <Chart
          label={`${main.name} by step`}
          x={axis}
          cursor={at}
          curves={curves}
          onSeek={(to) => {
            go(Math.round(to));
          }}
        />
      )}
    </section>
  );
}
