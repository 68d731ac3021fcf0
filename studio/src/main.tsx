// Superegg Studio: the start page and the apps behind it.

import './style.css';

import { signal } from '@preact/signals';
import { render, type JSX } from 'preact';

import { APPS } from './app/apps';
import { Start } from './app/Start';

const path = signal(location.hash.replace(/^#\/?/, ''));
window.addEventListener('hashchange', () => {
  path.value = location.hash.replace(/^#\/?/, '');
});

function Studio(): JSX.Element {
  const app = APPS.find((other) => other.path === path.value);
  const Page = app?.page ?? Start;
  return <Page key={path.value} />;
}

const root = document.getElementById('root');
if (root) render(<Studio />, root);
