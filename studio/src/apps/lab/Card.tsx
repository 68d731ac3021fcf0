// Contact Lab's card: its opening scene, playing.

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import { readable } from '../../ui/format';
import type { CardProps } from '../index';
import { Store } from './store';
import { play } from './Timeline';
import { View } from './view';

export function Card({ onScenes }: CardProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = useMemo(() => new Store({ keep: false }), []);
  useEffect(() => {
    if (!canvas.current) return undefined;
    const view = new View(canvas.current, store, { interactive: false, closeness: 0.72 });
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const stop = still ? () => undefined : play(store);
    return () => {
      stop();
      view.dispose();
      store.close();
    };
  }, []);
  const facts = store.welcome.value;
  useEffect(() => {
    if (facts) onScenes(facts.scenes.map(({ name, about }) => ({ name, about: about ?? '' })));
  }, [facts]);
  const answer = store.contact.value?.answer;
  return (
    <>
      <canvas ref={canvas} aria-hidden="true" />
      {answer && (
        <span class={`card-readout ${answer.status}`}>
          {readable(answer.distance).number} <span class="unit">{readable(answer.distance).unit}</span>
        </span>
      )}
    </>
  );
}
