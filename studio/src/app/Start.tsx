// The start page: the apps as cards, each with a live thumbnail.

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import { Store } from '../lab/store';
import { play } from '../lab/Timeline';
import { metres } from '../ui/format';
import { Stage } from '../view/stage';
import { APPS, type App } from './apps';
import { TopBar } from './TopBar';

export function Start(): JSX.Element {
  return (
    <div class="start">
      <TopBar />
      <main class="start-main">
        <header class="hero">
          <h1>Smooth contact to see and touch</h1>
          <p>How far apart are two smooth bodies, where do they touch, and along which normal? Here the answer moves with your hand.</p>
        </header>
        <div class="cards">
          {APPS.map((app) => (
            <Card key={app.path} app={app} />
          ))}
        </div>
      </main>
    </div>
  );
}

function Card({ app }: { app: App }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = useMemo(() => new Store({ keep: false }), []);
  useEffect(() => {
    if (!canvas.current) return undefined;
    const stage = new Stage(canvas.current, store, { interactive: false, closeness: 0.72 });
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const stop = still ? () => undefined : play(store);
    return () => {
      stop();
      stage.dispose();
      store.close();
    };
  }, []);
  const answer = store.contact.value?.answer;
  return (
    <a class="card" href={`#/${app.path}`}>
      <span class="card-stage">
        <canvas ref={canvas} aria-hidden="true" />
        {answer && (
          <span class={`card-readout ${answer.status}`}>
            {metres(answer.distance)} <span class="unit">m</span>
          </span>
        )}
      </span>
      <span class="card-text">
        <b>{app.title}</b>
        <span>{app.about}</span>
      </span>
    </a>
  );
}
