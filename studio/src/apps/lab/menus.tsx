// The menus of Contact Lab, made from its actions, and its dialogs.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { pastedText } from '../../document/transfer';
import type { Action } from '../../input/actions';
import { Button, Dialog } from '../../ui/controls';
import { GalleryMenu, MenuActions } from '../../widgets/menus';
import type { Store } from './store';
import type { MenuAt } from './tools';

export function SceneMenu({ store }: { store: Store }): JSX.Element {
  return (
    <GalleryMenu title="Scenes" name={store.scene.value.name} ready={store.welcome.value?.scenes ?? []} shelf={store.shelf} about={({ bodies }) => `${bodies.length} bodies`} onOpen={(scene) => {
      store.open(scene);
    }} />
  );
}

/** The menu of a body, or of the place beside the bodies, where it was asked for. */
export function ContextMenu({ at, actions, onClose }: { at: MenuAt; actions: Action[]; onClose: () => void }): JSX.Element {
  useEffect(() => {
    const outside = (event: Event) => {
      if (!(event.target instanceof Element) || !event.target.closest('.context-menu')) onClose();
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onClose();
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('keydown', escape);
    };
  }, []);
  const main = document.querySelector('.lab-main')?.getBoundingClientRect();
  const left = Math.max(Math.min(at.x, (main?.width ?? 0) - 250), 8);
  const top = Math.max(Math.min(at.y, (main?.height ?? 0) - 330), 8);
  return (
    <div class="menu-list context-menu" role="menu" style={{ left: `${left}px`, top: `${top}px` }}>
      <MenuActions actions={actions} menu={at.id === null ? 'place' : 'body'} close={onClose} />
    </div>
  );
}

export function PasteDialog({ store, onClose }: { store: Store; onClose: () => void }): JSX.Element {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const type = (words: string) => {
    setText(words);
    setWrong(null);
  };
  return (
    <Dialog title="Paste lines of superegg query" onClose={onClose}>
      <p class="dialog-lead">One query a line. Their bodies become a new scene; Undo brings this one back.</p>
      <textarea
        rows={7}
        autofocus
        spellcheck={false}
        aria-label="Lines"
        placeholder={'{"query":"distance","a":{…},"b":{…}}'}
        value={text}
        onInput={(event) => {
          type(event.currentTarget.value);
        }}
      />
      {wrong !== null && <p class="dialog-wrong" role="alert">{wrong}</p>}
      <footer>
        <Button icon="paste" label="From the clipboard" wordy onClick={() => {
          void pastedText().then((words) => {
            if (words === null) setWrong('The browser does not allow reading the clipboard here. Paste into the field instead.');
            else type(words);
          });
        }} />
        <Button icon="check" label="Read them" wordy primary disabled={text.trim() === ''} onClick={() => {
          void store.paste(text).then((refused) => {
            if (refused === null) onClose();
            else setWrong(refused);
          });
        }} />
      </footer>
    </Dialog>
  );
}
