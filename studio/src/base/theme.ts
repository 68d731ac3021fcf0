// Light and dark: as the system has it, until the user chooses.

import { effect, signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const KEY = 'superegg.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

function initial(): Theme {
  let kept: string | null = null;
  try {
    kept = window.localStorage.getItem(KEY);
  } catch {
    // Some windows keep nothing.
  }
  if (kept === 'light' || kept === 'dark') return kept;
  return system.matches ? 'dark' : 'light';
}

export const theme = signal<Theme>(initial());

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

system.addEventListener('change', () => {
  theme.value = system.matches ? 'dark' : 'light';
});

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  try {
    window.localStorage.setItem(KEY, theme.value);
  } catch {
    // Then it lasts as long as the window.
  }
}
