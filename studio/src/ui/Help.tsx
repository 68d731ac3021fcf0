// The help overlay: what hands and keys do.

import './Help.css';

import type { JSX } from 'preact';

import { Dialog } from './controls';

interface HelpProps {
  /** What a gesture is, and what it does. */
  gestures: { gesture: string; does: string }[];
  shortcuts: { keys: string; does: string }[];
  onClose: () => void;
}

export function Help({ gestures, shortcuts, onClose }: HelpProps): JSX.Element {
  return (
    <Dialog title="Hands and keys" onClose={onClose}>
      <div class="help">
        <dl>
          {gestures.map(({ gesture, does }) => (
            <div key={gesture}>
              <dt>{gesture}</dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <dl class="keys">
          {shortcuts.map(({ keys, does }) => (
            <div key={keys}>
              <dt>
                {keys.split(', ').map((key) => <kbd key={key}>{key}</kbd>)}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
