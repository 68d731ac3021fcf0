// The bar at the top of every page.

import './TopBar.css';

import type { ComponentChildren, JSX } from 'preact';

import type { ReadonlySignal } from '@preact/signals';

import { theme, toggleTheme } from '../base/theme';
import { Button } from './controls';

interface TopBarProps {
  title?: string;
  /** The connection that the page lives by. */
  link?: { state: ReadonlySignal<'connecting' | 'open' | 'lost' | 'refused'>; reason: ReadonlySignal<string | null> };
  onHelp?: () => void;
  children?: ComponentChildren;
}

export function TopBar({ title, link, onHelp, children }: TopBarProps): JSX.Element {
  const state = link?.state.value;
  return (
    <header class="topbar">
      <a class="brand" href="#/" aria-label="Superegg Studio, start page">
        <Logo />
        <span class="brand-name">Superegg</span>
      </a>
      {title && <h1>{title}</h1>}
      {children}
      {!children && <span class="spacer" />}
      {state && state !== 'open' && (
        <span class="lost" role="status">
          {state === 'refused' ? link.reason.value : state === 'lost' ? 'Connection lost; nothing you made is. Trying again…' : 'Connecting…'}
        </span>
      )}
      <Button icon={theme.value === 'dark' ? 'sun' : 'moon'} label={theme.value === 'dark' ? 'Light' : 'Dark'} onClick={toggleTheme} />
      {onHelp && <Button icon="help" label="Help" onClick={onHelp} />}
    </header>
  );
}

/** Piet Hein's superegg, standing on its end. */
function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path class="logo-egg" d="M16 2C23 2 26 7 26 16S23 30 16 30 6 25 6 16 9 2 16 2Z" />
      <path class="logo-shade" d="M16 2C23 2 26 7 26 16S23 30 16 30c3.5-3 5-8 5-14S19.5 5 16 2Z" />
      <circle class="logo-gleam" cx="12.5" cy="10" r="2.4" />
    </svg>
  );
}
