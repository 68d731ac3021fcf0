// Multibody Sketcher (paper 001, sections 4.1 to 4.3): the page around the stage.

import './sketcher.css';

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { meter } from '../../base/meter';
import { followAddress } from '../../document/address';
import { takeDroppedFiles } from '../../document/transfer';
import { bindKeys } from '../../input/actions';
import { Pointers } from '../../input/pointers';
import { Button } from '../../ui/controls';
import { Notice } from '../../ui/Notice';
import { TopBar } from '../../ui/TopBar';
import { ActionHelp } from '../../widgets/ActionHelp';
import { HeldPad } from '../../widgets/HeldPad';
import { LiveStatus } from '../../widgets/LiveStatus';
import { FileMenu, GalleryMenu, MenuEntry } from '../../widgets/menus';
import { OpenBox } from '../../widgets/OpenBox';
import { UndoButtons } from '../../widgets/UndoButtons';
import { openFiles, sketcherActions } from './actions';
import { HitboxPad, ModeBar, Panel } from './panels';
import { asCreature, AT_REST, Store, type ViewName } from './store';
import { Timeline } from './Timeline';
import { sketcherTools, type Held } from './tools';
import { View } from './view';

declare global {
  interface Window {
    /** For the console and for tests. */
    sketcher?: { store: Store; view: View; meter: typeof meter; idle: () => boolean };
  }
}

const WIDE = 820;
/** Whether the panel is shown; on a phone it is not at first. */
const panel = signal(window.innerWidth > WIDE);

export function Sketcher(): JSX.Element {
  const store = useMemo(() => new Store(), []);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<View | null>(null);
  const [held, setHeld] = useState<Held | null>(null);
  const [help, setHelp] = useState(false);
  const shownView = useRef<View | null>(null);
  const pointers = useRef<Pointers | null>(null);
  const actions = useMemo(() => sketcherActions({
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
    const hands = new Pointers(canvas.current, sketcherTools(made, store, { hold: setHeld }), {
      wheel: (event, at) => {
        made.enter(at.x, at.y);
        made.rig.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.04 : 0.0012)));
        made.invalidate();
      },
    });
    pointers.current = hands;
    shownView.current = made;
    setView(made);
    const idle = () => store.settled.peek() && store.busy.peek() === 0 && store.draft.kept.peek() && !hands.isBusy && !store.document.isHeld && made.isClean;
    window.sketcher = { store, view: made, meter, idle };
    return () => {
      hands.dispose();
      made.dispose();
      store.close();
      delete window.sketcher;
    };
  }, []);
  useEffect(() => bindKeys(() => actions), []);
  useEffect(() => followAddress({
    ready: () => store.link.facts.value?.gallery ?? null,
    sound: asCreature,
    open: (creature) => {
      store.open(creature);
      shownView.current?.lookAnew();
    },
    damaged: () => {
      store.say('The link is damaged: it carries no creature.', 'error');
    },
  }), []);
  useEffect(() => takeDroppedFiles((files) => {
    void openFiles(store, files, shownView.current);
  }), []);
  const posing = store.mode.value === 'pose';
  useEffect(() => {
    const wide = window.innerWidth > WIDE;
    const right = panel.value && wide ? 300 : 0;
    view?.cover(right, 0);
    view?.leaveFree({ left: 0, top: 52, right: right > 0 ? right + 12 : 0, bottom: posing ? 136 : 76 });
  }, [view, panel.value, posing]);

  return (
    <div class="lab sketcher" data-panel={panel.value ? 'open' : 'closed'} data-mode={store.mode.value}>
      <TopBar title="Multibody Sketcher" link={store.link} onHelp={() => {
        setHelp(true);
      }}>
        <CreatureMenu store={store} view={view} />
        <span class="spacer" />
        <UndoButtons store={store} disabled={store.mode.value === 'physics'} />
        <Button icon="views" label={`Views: ${store.layout.value}`} onClick={() => {
          store.layout.value = store.layout.peek() === 1 ? 2 : store.layout.peek() === 2 ? 4 : 1;
        }} />
        <FileMenu what="creature" name={store.document.value.value.name} actions={actions} onRename={(name) => {
          store.change('Rename', (creature) => ({ ...creature, name }));
        }} />
      </TopBar>
      <main class="lab-main">
        <canvas ref={canvas} class="stage" tabIndex={0} aria-label="The creature" />
        {view && <Ink view={view} />}
        {view && <Boxes store={store} view={view} />}
        {store.document.value.value.bones.length === 0 && store.mode.value === 'skeleton' && <p class="sketcher-start">Draw a line. It becomes a bone.</p>}
        <Panel store={store} view={view} actions={actions} />
        {posing && <Timeline store={store} />}
        <ModeBar store={store} panel={panel.value} onPanel={() => {
          panel.value = !panel.value;
        }} />
        <LiveStatus store={store} moving={store.live.value} />
        {held && view && (
          <HeldPad at={held} exponents={store.hitbox(held.id)?.exponents ?? [1, 1]}>
            <HitboxPad store={store} view={view} id={held.id} />
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

function CreatureMenu({ store, view }: { store: Store; view: View | null }): JSX.Element {
  return (
    <GalleryMenu title="Creatures" name={store.document.value.value.name} ready={store.link.facts.value?.gallery ?? []} shelf={store.shelf} about={({ bones, hitboxes }) => `${bones.length} bones, ${hitboxes.length} hitboxes`} onOpen={(creature) => {
      store.open(creature);
      view?.lookAnew();
    }}>
      {(close) => (
        <MenuEntry name="Empty paper" about="Draw a creature of your own." onClick={() => {
          store.open({ name: 'Untitled', joints: [], bones: [], hitboxes: [], stance: AT_REST, keys: [], mirror: true });
          store.setMode('skeleton');
          view?.lookAnew();
          close();
        }} />
      )}
    </GalleryMenu>
  );
}

/** The stroke under the finger. */
function Ink({ view }: { view: View }): JSX.Element | null {
  const ink = view.ink.value;
  if (!ink) return null;
  return (
    <svg class="sketcher-ink" data-kind={ink.kind} aria-hidden="true">
      <polyline points={ink.points.map(({ x, y }) => `${x},${y}`).join(' ')} />
    </svg>
  );
}

/** The open box of every view, in its corner. */
function Boxes({ store, view }: { store: Store; view: View }): JSX.Element {
  const rectangles = view.layout.value;
  const choose = (k: number) => (name: ViewName) => {
    store.views.value = store.views.peek().map((other, at) => (at === k ? name : other));
  };
  const names = store.views.value;
  if (rectangles.length === 0) {
    const [name = 'front'] = names;
    return (
      <div class="sketcher-box alone" data-view={name}>
        <OpenBox value={name} onChange={choose(0)} />
        <span>{name}</span>
      </div>
    );
  }
  return (
    <>
      {rectangles.map(({ left, top, width, height }, k) => (
        <div key={k} class="sketcher-view" style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}>
          <div class="sketcher-box" data-view={names[k] ?? 'front'}>
            <OpenBox value={names[k] ?? 'front'} onChange={choose(k)} />
            <span>{names[k]}</span>
          </div>
        </div>
      ))}
    </>
  );
}
