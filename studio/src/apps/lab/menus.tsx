// The menus of Contact Lab, made from its actions, and its dialogs.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { pastedText } from '../../document/transfer';
import { shownKeys, type Action } from '../../input/actions';
import { Button, Dialog, Menu, MenuItem } from '../../ui/controls';
import type { Store } from './store';
import type { MenuAt } from './tools';

/** What the actions of a menu look like. */
function Items({ actions, menu, close }: { actions: Action[]; menu: string; close: () => void }): JSX.Element {
  const offered = actions.filter((action) => action.menus?.includes(menu) && (action.enabled?.() ?? true));
  return (
    <>
      {offered.map(({ id, icon, label, keys, run }) => (
        <MenuItem key={id} icon={icon ?? 'check'} label={label} {...(keys?.[0] ? { hint: shownKeys(keys[0]) } : {})} onClick={() => {
          close();
          run?.();
        }} />
      ))}
    </>
  );
}

export function SceneMenu({ store }: { store: Store }): JSX.Element {
  const { name } = store.scene.value;
  return (
    <Menu icon="scenes" label={name} wordy>
      {(close) => (
        <>
          <h3>Scenes</h3>
          {store.welcome.value?.scenes.map((scene) => (
            <button key={scene.name} type="button" role="menuitem" class="scene-item" onClick={() => {
              store.open(scene);
              close();
            }}>
              <b>{scene.name}</b>
              <span>{scene.about}</span>
            </button>
          ))}
          {store.shelf.all().length > 0 && <h3>Kept in this browser</h3>}
          {store.shelf.all().map((scene) => (
            <div key={scene.name} class="shelf-item">
              <button type="button" role="menuitem" class="scene-item" onClick={() => {
                store.open(scene);
                close();
              }}>
                <b>{scene.name}</b>
                <span>{scene.bodies.length} bodies</span>
              </button>
              <Button icon="trash" label={`Forget ${scene.name}`} onClick={() => {
                store.shelf.remove(scene.name);
                close();
              }} />
            </div>
          ))}
        </>
      )}
    </Menu>
  );
}

export function FileMenu({ store, actions }: { store: Store; actions: Action[] }): JSX.Element {
  return (
    <Menu icon="save" label="File" align="right">
      {(close) => (
        <>
          <input
            class="name"
            aria-label="Name of the scene"
            value={store.scene.value.name}
            maxLength={60}
            onKeyDown={(event) => {
              event.stopPropagation();
            }}
            onChange={(event) => {
              const name = event.currentTarget.value || 'Untitled';
              store.change((scene) => ({ ...scene, name }), 'Rename');
            }}
          />
          <Items actions={actions} menu="file" close={close} />
        </>
      )}
    </Menu>
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
      <Items actions={actions} menu={at.id === null ? 'place' : 'body'} close={onClose} />
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

export function Notice({ store }: { store: Store }): JSX.Element | null {
  const notice = store.notice.value;
  useEffect(() => {
    if (!notice) return undefined;
    const timer = window.setTimeout(() => {
      store.notice.value = null;
    }, notice.kind === 'error' ? 8000 : 2500);
    return () => {
      window.clearTimeout(timer);
    };
  }, [notice]);
  return notice && <div class={`notice ${notice.kind}`} role="status">{notice.text}</div>;
}

