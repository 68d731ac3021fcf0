// Undo and redo as buttons that say what they would take back and bring back.

import type { ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';

import type { Names } from '../document/document';
import { Button } from '../ui/controls';

interface UndoButtonsProps {
  store: { document: { names: ReadonlySignal<Names> }; undo: () => void; redo: () => void };
  /** While nothing can be undone, whatever there is. */
  disabled?: boolean;
}

export function UndoButtons({ store, disabled = false }: UndoButtonsProps): JSX.Element {
  const { undo, redo } = store.document.names.value;
  const about = (name: string | null) => (name ? { about: name } : {});
  return (
    <>
      <Button icon="undo" label="Undo" {...about(undo)} disabled={disabled || undo === null} onClick={() => {
        store.undo();
      }} />
      <Button icon="redo" label="Redo" {...about(redo)} disabled={disabled || redo === null} onClick={() => {
        store.redo();
      }} />
    </>
  );
}
