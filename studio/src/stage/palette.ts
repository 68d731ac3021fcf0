// The colours of the stage, for both themes. The page's own are in ui/tokens.css.

import type { Theme } from '../base/theme';

/** Bodies take these in turn. */
const BODIES = ['#f0a330', '#3b8ea5', '#8f6bb3', '#5f9f5a', '#d9695f', '#5b7fd1', '#b5884c', '#4fa08f'];

export function bodyColour(index: number): string {
  return BODIES[index % BODIES.length] ?? '#888888';
}

export interface StageColours {
  plane: string;
  grid: string;
  shadow: number;
  outline: string;
  near: string;
  deep: string;
  faint: string;
  /** Where a motion makes contact. */
  impact: string;
  light: number;
}

export const STAGE: Record<Theme, StageColours> = {
  light: { plane: '#e4dccd', grid: '#6d6353', shadow: 0.2, outline: '#20242c', near: '#20242c', deep: '#e0343c', faint: '#7c7568', impact: '#b3261e', light: 1 },
  dark: { plane: '#2a2f38', grid: '#8d97a8', shadow: 0.45, outline: '#f6efe2', near: '#f6efe2', deep: '#ff5a5f', faint: '#8d97a8', impact: '#ff8a80', light: 0.8 },
};

export const AXES = ['#d9534f', '#4f9d55', '#4a78d6'] as const;
