// Superegg Studio: the start page and the apps behind it.

import './style.css';

import { signal } from '@preact/signals';
import { render, type JSX } from 'preact';

import { APPS } from './app/apps';
import { Start } from './app/Start';

/** The app's name in the address; what follows a question mark is the app's business. */
const pathInAddress = () => location.hash.replace(/^#\/?/, '').split('?')[0] ?? '';
const path = signal(pathInAddress());
window.addEventListener('hashchange', () => {
  path.value = pathInAddress();
});

function Studio(): JSX.Element {
  const app = APPS.find((other) => other.path === path.value);
  const Page = app?.page ?? Start;
  return <Page key={path.value} />;
}

const root = document.getElementById('root');
if (root) render(<Studio />, root);
