// The start page: the apps as cards, each with a living picture.

import './Start.css';

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { APPS, type App, type CardProps } from '../apps/index';
import { TopBar } from '../ui/TopBar';

export function Start(): JSX.Element {
  const [scenes, setScenes] = useState<{ name: string; about: string }[]>([]);
  return (
    <div class="start">
      <TopBar />
      <main class="start-main">
        <header class="hero">
          <h1>Smooth contact to see and touch</h1>
          <p>How far apart are two smooth bodies, where do they touch, and along which normal? Here the answer moves with your hand.</p>
        </header>
        <div class="cards">
          {APPS.filter((app) => !app.hidden).map((app) => (
            <Card key={app.path} app={app} onScenes={setScenes} />
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

function Card({ app, onScenes }: { app: App } & CardProps): JSX.Element {
  const [picture, setPicture] = useState<{ Card: (props: CardProps) => JSX.Element } | null>(null);
  useEffect(() => {
    // A card without its picture still leads to its app.
    app.card?.().then(setPicture, () => undefined);
  }, []);
  return (
    <a class="card" href={`#/${app.path}`}>
      <span class="card-stage">{picture && <picture.Card onScenes={onScenes} />}</span>
      <span class="card-text">
        <b>{app.title}</b>
        <span>{app.about}</span>
      </span>
    </a>
  );
}
