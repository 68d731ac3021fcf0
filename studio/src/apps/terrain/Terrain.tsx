// Terrain Cloth (paper 001, section 4.4): the page around the stage.

import './terrain.css';

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { followAddress } from '../../document/address';
import { takeDroppedFiles } from '../../document/transfer';
import { bindKeys, isForField } from '../../input/actions';
import { Pointers } from '../../input/pointers';
import { Button } from '../../ui/controls';
import { Notice } from '../../ui/Notice';
import { TopBar } from '../../ui/TopBar';
import { ActionHelp } from '../../widgets/ActionHelp';
import { HeldPad } from '../../widgets/HeldPad';
import { LiveStatus } from '../../widgets/LiveStatus';
import { FileMenu } from '../../widgets/menus';
import { StickView } from '../../widgets/StickView';
import { UndoButtons } from '../../widgets/UndoButtons';
import { openFile, terrainActions } from './actions';
import { HillPad } from './HillPad';
import { Bar, LandscapeMenu, Panel } from './panels';
import { asStored, Store, type Stored } from './store';
import { makeAt, terrainTools, type Held } from './tools';
import { View } from './view';

declare global {
  interface Window {
    /** For the console and for tests. */
    terrain?: { store: Store; view: View; idle: () => boolean };
  }
}

/** Whether the panel is shown; on a phone it is not at first. */
const panel = signal(window.innerWidth > 820);

export function Terrain(): JSX.Element {
  const store = useMemo(() => new Store(), []);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<View | null>(null);
  const [held, setHeld] = useState<Held | null>(null);
  const [help, setHelp] = useState(false);
  const shownView = useRef<View | null>(null);
  const pointers = useRef<Pointers | null>(null);
  const actions = useMemo(() => terrainActions({
    store,
    view: () => shownView.current,
    help: () => {
      setHelp(true);
    },
    cancel: () => pointers.current?.cancel() ?? false,
  }), []);

  useEffect(() => {
    if (!canvas.current) return undefined;
    const made = new View(canvas.current, store);
    const hands = new Pointers(canvas.current, terrainTools(made, store, { hold: setHeld }), {
      fingers: (count, at) => {
        if (count === 2 && !store.walking.peek()) makeAt(made, store, at);
      },
      double: (at) => {
        if (!store.walking.peek() && !made.hillAt(at.x, at.y)) makeAt(made, store, at);
      },
      wheel: (event) => {
        const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.04 : 0.0012));
        if (store.walking.peek()) made.walking.zoom(factor);
        else made.orbit.zoom(factor);
        made.invalidate();
      },
    });
    pointers.current = hands;
    shownView.current = made;
    setView(made);
    const idle = () => store.settled.peek() && (store.state.peek()?.resting ?? false) && store.draft.kept.peek() && !hands.isBusy && !store.document.isHeld
      && made.isClean && made.applied === store.newest;
    window.terrain = { store, view: made, idle };
    return () => {
      hands.dispose();
      made.dispose();
      store.close();
      delete window.terrain;
    };
  }, []);
  useEffect(() => bindKeys(() => actions), []);
  useEffect(() => walkByKeys(store, () => shownView.current), []);
  useEffect(() => followAddress<Stored>({
    ready: () => store.link.facts.value?.gallery ?? null,
    sound: asStored,
    open: (landscape) => {
      store.open(landscape);
    },
    damaged: () => {
      store.say('The link is damaged: it carries no landscape.', 'error');
    },
  }), []);
  useEffect(() => takeDroppedFiles(([file]) => {
    if (file) void openFile(store, file);
  }), []);
  useEffect(() => {
    // What is looked at stays in the middle of what the panel leaves free.
    view?.cover(panel.value && !store.walking.value && window.innerWidth > 820 ? 300 : 0, 0);
  }, [view, panel.value, store.walking.value]);

  const walking = store.walking.value;
  return (
    <div class="lab terrain" data-look={walking ? 'terrain' : store.look.value} data-panel={panel.value && !walking ? 'open' : 'closed'}>
      <TopBar title="Terrain Cloth" link={store.link} onHelp={() => {
        setHelp(true);
      }}>
        {!walking && <LandscapeMenu store={store} />}
        <span class="spacer" />
        {!walking && (
          <>
            <UndoButtons store={store} />
            <FileMenu what="landscape" name={store.document.value.value.name} actions={actions} onRename={(name) => {
              store.change('Rename', (landscape) => ({ ...landscape, name }));
            }} />
          </>
        )}
      </TopBar>
      <main class="lab-main">
        <canvas ref={canvas} class="stage" tabIndex={0} aria-label="The cloth and what lies under it" />
        {walking ? <Walking store={store} view={view} /> : (
          <>
            <Bar store={store} actions={actions} panel={panel.value} onPanel={() => {
              panel.value = !panel.value;
            }} />
            <Panel store={store} view={view} actions={actions} />
          </>
        )}
        <LiveStatus store={store} moving={store.state.value?.resting === false} />
        {held && view && (
          <HeldPad at={held} exponents={store.hill(held.id)?.exponents ?? [1, 1]}>
            <HillPad store={store} view={view} id={held.id} />
          </HeldPad>
        )}
        <Notice notice={store.notice} />
      </main>
      {help && (
        <ActionHelp actions={actions} onClose={() => {
          setHelp(false);
        }} />
      )}
    </div>
  );
}

/** What is shown while somebody walks. */
function Walking({ store, view }: { store: Store; view: View | null }): JSX.Element {
  return (
    <>
      {view && <StickView stick={view.walking.stick} />}
      <div class="terrain-bar walking">
        <Button icon="back" label="Back to the cloth" wordy text="Back" onClick={() => {
          store.walk(false);
        }} />
        <Button icon="hill" label="Jump" wordy onClick={() => {
          view?.walking.jump();
        }} />
      </div>
      <p class="terrain-hint">
        <span class="by-touch">Left thumb walks, right thumb looks</span>
        <span class="by-mouse">WASD walks, Space jumps, drag to look</span>
      </p>
    </>
  );
}

function walkByKeys(store: Store, view: () => View | null): () => void {
  const key = (event: KeyboardEvent) => {
    if (!store.walking.peek() || isForField(event) || event.ctrlKey || event.metaKey) return;
    if (view()?.walking.key(event)) event.preventDefault();
  };
  const blur = () => {
    view()?.walking.letGo();
  };
  window.addEventListener('keydown', key);
  window.addEventListener('keyup', key);
  window.addEventListener('blur', blur);
  return () => {
    window.removeEventListener('keydown', key);
    window.removeEventListener('keyup', key);
    window.removeEventListener('blur', blur);
  };
}
