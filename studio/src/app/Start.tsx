// The start page: the apps as cards, each with a live thumbnail.

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Store } from '../lab/store';
import { play } from '../lab/Timeline';
import type { Scene } from '../protocol/messages';
import { metres } from '../ui/format';
import { Stage } from '../view/stage';
import { APPS, type App } from './apps';
import { TopBar } from './TopBar';

export function Start(): JSX.Element {
  const [scenes, setScenes] = useState<Scene[]>([]);
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
            <Card key={app.path} app={app} onScenes={app === APPS[0] ? setScenes : undefined} />
          ))}
        </div>
        {scenes.length > 0 && (
          <nav class="scenes" aria-label="Ready scenes">
            <h2>Or begin with a scene</h2>
            <ul>
              {scenes.map(({ name, about }) => (
                <li key={name}>
                  <a href={`#/${APPS[0]?.path ?? ''}?scene=${encodeURIComponent(name)}`} title={about}>{name}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </main>
    </div>
  );
}

interface CardProps {
  app: App;
  /** Told the ready scenes as soon as the server has. */
  onScenes: ((scenes: Scene[]) => void) | undefined;
}

function Card({ app, onScenes }: CardProps): JSX.Element {
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
  const welcome = store.welcome.value;
  useEffect(() => {
    if (welcome) onScenes?.(welcome.scenes);
  }, [welcome]);
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
