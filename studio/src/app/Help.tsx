// The help overlay: what hands and keys do.

import type { JSX } from 'preact';

import type { Shortcut } from '../lab/keys';
import { Dialog } from '../ui/controls';

const GESTURES: [string, string][] = [
  ['Drag a body', 'Moves it across the view'],
  ['Right-drag a body, or Alt', 'Rolls it like a ball'],
  ['Hold a body, then slide', 'Opens the parameter widget and chooses both exponents'],
  ['Two fingers on a body', 'Move, turn and scale it'],
  ['Drag beside the bodies', 'Turns the view; Shift or right button shifts it'],
  ['Two fingers beside, or wheel', 'Shift, turn and zoom the view'],
  ['Drag a handle', 'Moves or turns along one axis; changes a radius or a taper'],
  ['Double-click', 'Looks at a body, or at everything'],
];

export function Help({ shortcuts, onClose }: { shortcuts: Shortcut[]; onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Hands and keys" onClose={onClose}>
      <div class="help">
        <dl>
          {GESTURES.map(([gesture, does]) => (
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
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
