// The menus that every app with documents has: ready and kept documents, and what is done with the one that is open.

import type { ComponentChildren, JSX } from 'preact';

import type { Shelf } from '../document/storage';
import { shownKeys, type Action } from '../input/actions';
import { Button, Menu, MenuItem } from '../ui/controls';

/** The actions of a menu that can be run now. */
export function MenuActions({ actions, menu, close }: { actions: Action[]; menu: string; close: () => void }): JSX.Element {
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

interface GalleryProps<D> {
  /** What the documents are called. */
  title: string;
  /** Of the one that is open. */
  name: string;
  ready: D[];
  shelf: Shelf<D & { name: string }>;
  /** What a kept one is made of, in words. */
  about: (document: D) => string;
  onOpen: (document: D) => void;
  /** More entries, after the ready ones. */
  children?: (close: () => void) => ComponentChildren;
}

/** Ready documents, and those that this browser keeps. */
export function GalleryMenu<D extends { name: string; about?: string }>({ title, name, ready, shelf, about, onOpen, children }: GalleryProps<D>): JSX.Element {
  const kept = shelf.all();
  const entry = (document: D, words: string | undefined, close: () => void) => (
    <MenuEntry key={document.name} name={document.name} about={words ?? ''} onClick={() => {
      onOpen(document);
      close();
    }} />
  );
  return (
    <Menu icon="scenes" label={name} wordy>
      {(close) => (
        <>
          <h3>{title}</h3>
          {ready.map((document) => entry(document, document.about, close))}
          {children?.(close)}
          {kept.length > 0 && <h3>Kept in this browser</h3>}
          {kept.map((document) => (
            <div key={document.name} class="shelf-item">
              {entry(document, about(document), close)}
              <Button icon="trash" label={`Forget ${document.name}`} onClick={() => {
                shelf.remove(document.name);
                close();
              }} />
            </div>
          ))}
        </>
      )}
    </Menu>
  );
}

/** A document with a line about it. */
export function MenuEntry({ name, about, onClick }: { name: string; about: string; onClick: () => void }): JSX.Element {
  return (
    <button type="button" role="menuitem" class="scene-item" onClick={onClick}>
      <b>{name}</b>
      <span>{about}</span>
    </button>
  );
}

/** The name of the document, and what is done with it. */
export function FileMenu({ what, name, actions, onRename }: { what: string; name: string; actions: Action[]; onRename: (name: string) => void }): JSX.Element {
  return (
    <Menu icon="save" label="File" align="right">
      {(close) => (
        <>
          <input class="name" aria-label={`Name of the ${what}`} value={name} maxLength={60} onKeyDown={(event) => {
            event.stopPropagation();
          }} onChange={(event) => {
            onRename(event.currentTarget.value || 'Untitled');
          }} />
          <MenuActions actions={actions} menu="file" close={close} />
        </>
      )}
    </Menu>
  );
}
