// Contact Lab: two or more smooth bodies, and everything there is to know about their contact.

import './Lab.css';

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { meter } from '../../base/meter';
import { isKept } from '../../document/files';
import { bindKeys, shownKeys } from '../../input/actions';
import { Pointers } from '../../input/pointers';
import { Choice, Button } from '../../ui/controls';
import { Notice } from '../../ui/Notice';
import { TopBar } from '../../ui/TopBar';
import { ActionHelp } from '../../widgets/ActionHelp';
import { FileMenu } from '../../widgets/menus';
import { ViewCube } from '../../widgets/ViewCube';
import { Viewports } from '../../widgets/Viewports';
import type { Tool } from '../../widgets/handles';
import { UndoButtons } from '../../widgets/UndoButtons';
import { labActions } from './actions';
import { ContextMenu, PasteDialog, SceneMenu } from './menus';
import { ParameterPad } from './ParameterPad';
import { Bodies, ShapePanel } from './panels';
import { Readout } from './Readout';
import { Store } from './store';
import { followAddress, listenToWindow, yieldToPanels } from './surroundings';
import { Timeline } from './Timeline';
import { labTools, padSize, type Held, type MenuAt } from './tools';
import { TracePanel } from './TracePanel';
import { View } from './view';

const TOOLS: { value: Tool; label: string; icon: 'move' | 'turn' | 'shape' }[] = [
  { value: 'move', label: 'Move', icon: 'move' },
  { value: 'turn', label: 'Turn', icon: 'turn' },
  { value: 'shape', label: 'Shape', icon: 'shape' },
];

/** What a narrow window shows below the stage. */
type Tab = 'contact' | 'bodies' | 'shape' | 'motion' | 'trace';
const TABS: { value: Tab; label: string }[] = [
  { value: 'contact', label: 'Contact' },
  { value: 'bodies', label: 'Bodies' },
  { value: 'shape', label: 'Shape' },
  { value: 'motion', label: 'Motion' },
  { value: 'trace', label: 'Trace' },
];
const tab = signal<Tab>('contact');

declare global {
  interface Window {
    /** For the console and for tests. */
    superegg?: {
      store: Store;
      stage: View | null;
      meter: typeof meter;
      /** Whether all is computed, drawn and kept, and no hand holds anything. */
      idle: () => boolean;
    };
  }
}

export function Lab(): JSX.Element {
  const store = useMemo(() => new Store({ keep: true }), []);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [stage, setStage] = useState<View | null>(null);
  const [held, setHeld] = useState<Held | null>(null);
  const [menu, setMenu] = useState<MenuAt | null>(null);
  const [help, setHelp] = useState(false);
  const [pasting, setPasting] = useState(false);
  const pointers = useRef<Pointers | null>(null);
  const actions = useMemo(() => labActions({
    store,
    stage: () => pointerStage.current,
    help: () => {
      setHelp(true);
    },
    paste: () => {
      setPasting(true);
    },
    cancel: () => pointers.current?.cancel() ?? false,
  }), []);
  const pointerStage = useRef<View | null>(null);

  useEffect(() => {
    if (!canvas.current) return undefined;
    const made = new View(canvas.current, store, { interactive: true });
    const hands = new Pointers(canvas.current, labTools(made, store, { hold: setHeld, menu: setMenu }), {
      hover: ({ x, y }) => {
        made.hover(x, y);
      },
      double: ({ x, y }) => {
        made.enter(x, y);
        const hit = made.pick(x, y);
        made.frame(hit && !hit.handle ? hit.id : null);
      },
      wheel: (event, { x, y }) => {
        made.enter(x, y).rig.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.04 : 0.0012)));
        made.invalidate();
      },
      fingers: (count) => {
        if (count === 2) store.undo();
        if (count === 3) store.redo();
      },
    });
    pointers.current = hands;
    pointerStage.current = made;
    setStage(made);
    const idle = () => store.settled.peek() && store.draft.kept.peek() && isKept() && !hands.isBusy && !store.document.isHeld && made.isClean;
    window.superegg = { store, stage: made, meter, idle };
    return () => {
      hands.dispose();
      made.dispose();
      store.close();
      delete window.superegg;
    };
  }, []);

  useEffect(() => followAddress(store), []);
  useEffect(() => listenToWindow(store), []);
  useEffect(() => bindKeys(() => actions), []);
  useEffect(() => (stage ? yieldToPanels(stage) : undefined), [stage]);

  const show = (next: Tab) => {
    tab.value = next;
    store.traceWanted.value = next === 'trace';
    if (next === 'trace') store.refreshTrace();
  };
  const lower = tab.value === 'trace' ? 'trace' : 'motion';

  return (
    <div class="lab" data-tab={tab.value} data-views={store.views.value}>
      <TopBar title="Contact Lab" link={store.link} onHelp={() => {
        setHelp(true);
      }}>
        <SceneMenu store={store} />
        <span class="spacer" />
        <UndoButtons store={store} />
        <FileMenu what="scene" name={store.scene.value.name} actions={actions} onRename={(name) => {
          store.change((scene) => ({ ...scene, name }), 'Rename');
        }} />
      </TopBar>
      <main class="lab-main">
        <canvas ref={canvas} class="stage" tabIndex={0} aria-label="The bodies and their contact" />
        <div class="tools">
          <Choice label="Tool" value={store.tool.value} options={TOOLS} onChange={(value) => {
            store.tool.value = value;
          }} />
          {actions.filter(({ menus }) => menus?.includes('tools')).map(({ id, icon, label, keys, checked, run }) => (
            <Button key={id} icon={icon ?? 'check'} label={label} {...(keys?.[0] ? { about: shownKeys(keys[0]) } : {})} {...(checked ? { pressed: checked() } : {})} onClick={() => run?.()} />
          ))}
        </div>
        <nav class="tabs" aria-label="Panels">
          {TABS.map(({ value, label }) => (
            <button key={value} type="button" aria-pressed={tab.value === value} onClick={() => {
              show(value);
            }}>
              {label}
            </button>
          ))}
        </nav>
        <Bodies store={store} />
        <ShapePanel store={store} stage={stage} />
        <section class="panel dock">
          <Readout store={store} />
          <div class="dock-lower">
            <nav class="dock-tabs" aria-label="Below the contact">
              {(['motion', 'trace'] as const).map((value) => (
                <button key={value} type="button" aria-pressed={lower === value} onClick={() => {
                  show(value);
                }}>
                  {value === 'motion' ? 'Motion' : 'Trace'}
                </button>
              ))}
            </nav>
            {lower === 'motion' ? <Timeline store={store} /> : <TracePanel store={store} />}
          </div>
        </section>
        {stage && <Viewports layout={stage.layout} />}
        {stage && store.views.value === 'one' && <ViewCube rig={stage.orbit} onDrawn={stage.onDrawn} onChange={() => {
          stage.invalidate();
        }} />}
        {held && stage && <HeldPad store={store} stage={stage} held={held} />}
        {menu && <ContextMenu at={menu} actions={actions} onClose={() => {
          setMenu(null);
        }} />}
        <Notice notice={store.notice} />
      </main>
      {help && (
        <ActionHelp actions={actions} onClose={() => {
          setHelp(false);
        }} />
      )}
      {pasting && (
        <PasteDialog store={store} onClose={() => {
          setPasting(false);
        }} />
      )}
    </div>
  );
}

/** What an undo takes back, as the title of its button. */
/** The parameter widget under the finger that holds a body: it opens where the body is, and follows the slide. */
function HeldPad({ store, stage, held }: { store: Store; stage: View; held: Held }): JSX.Element | null {
  const start = useRef<[number, number] | null>(null);
  const body = store.scene.peek().bodies.find((other) => other.id === held.id);
  start.current ??= body?.exponents ?? null;
  const size = padSize();
  const [e1, e2] = start.current ?? [1, 1];
  const main = document.querySelector('.lab-main')?.getBoundingClientRect();
  if (!main) return null;
  const within = (at: number, most: number) => Math.min(Math.max(at, 8), Math.max(most, 8));
  const left = within(held.x - (e1 / 2) * size, main.width - size - 24);
  const top = within(held.y - (1 - e2 / 2) * size, main.height - size - 60);
  return (
    <div class="held-pad" style={{ left: `${left}px`, top: `${top}px`, width: `${size}px` }}>
      <ParameterPad store={store} stage={stage} id={held.id} />
    </div>
  );
}
