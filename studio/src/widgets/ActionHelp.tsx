// The help of an app, made from its actions.

import type { JSX } from 'preact';

import { shownKeys, type Action } from '../input/actions';
import { Help } from '../ui/Help';

export function ActionHelp({ actions, onClose }: { actions: Action[]; onClose: () => void }): JSX.Element {
  const gestures = actions.flatMap(({ gesture, label }) => (gesture ? [{ gesture, does: label }] : []));
  const shortcuts = actions.flatMap(({ keys, label }) => (keys ? [{ keys: keys.map(shownKeys).join(', '), does: label }] : []));
  return <Help gestures={gestures} shortcuts={shortcuts} onClose={onClose} />;
}
