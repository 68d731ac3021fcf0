// The router: the start page, and the apps behind it, each loaded when it is opened.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { APPS, type App, type AppModule } from '../apps/index';
import { ErrorBoundary } from './ErrorBoundary';
import { Start } from './Start';

/** The app's name in the address; what follows a question mark is the app's business. */
const pathInAddress = () => location.hash.replace(/^#\/?/, '').split('?')[0] ?? '';
const path = signal(pathInAddress());
window.addEventListener('hashchange', () => {
  path.value = pathInAddress();
});

export function Studio(): JSX.Element {
  const app = APPS.find((other) => other.path === path.value);
  return <ErrorBoundary key={path.value}>{app ? <Loaded app={app} /> : <Start />}</ErrorBoundary>;
}

function Loaded({ app }: { app: App }): JSX.Element {
  const [loaded, setLoaded] = useState<AppModule | null>(null);
  const [failed, setFailed] = useState<Error | null>(null);
  useEffect(() => {
    app.load().then(setLoaded, (error: unknown) => {
      setFailed(error instanceof Error ? error : new Error(String(error)));
    });
  }, []);
  // Thrown while it is drawn, so that the boundary shows it.
  if (failed) throw failed;
  if (!loaded) return <main class="loading" aria-busy="true" />;
  const { Page } = loaded;
  return <Page />;
}
