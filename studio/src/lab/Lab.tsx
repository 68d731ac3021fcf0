// Contact Lab: two or more smooth bodies, and everything there is to know about their contact.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Help } from '../app/Help';
import { TopBar } from '../app/TopBar';
import { Choice, Dialog, Menu, MenuItem, Button } from '../ui/controls';
import { Gestures, type Held } from '../view/gestures';
import { meter } from '../view/meter';
import { Stage } from '../view/stage';
import { clampExponent, ParameterPad } from './ParameterPad';
import { Bodies, ShapePanel } from './panels';
import { Readout } from './Readout';
import { shortcuts, type Actions } from './keys';
import { queryLine, queryLines } from './queryline';
import { download, keepOnShelf, MESH_FILES, pickFile, SCENE_FILES, shelf, takeFromShelf, toFile } from './storage';
import { Store, type Tool } from './store';
import { followAddress, listenToWindow, openFile, yieldToPanels } from './surroundings';
import { Timeline } from './Timeline';
import { TracePanel } from './TracePanel';

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
    superegg?: { store: Store; stage: Stage | null; meter: typeof meter };
  }
}

export function Lab(): JSX.Element {
  const store = useMemo(() => new Store({ keep: true }), []);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  const [held, setHeld] = useState<Held | null>(null);
  const [help, setHelp] = useState(false);
  const [pasting, setPasting] = useState(false);
  const actions = useMemo<Actions>(() => makeActions(store, setHelp), []);

  useEffect(() => {
    if (!canvas.current) return undefined;
    const made = new Stage(canvas.current, store, { interactive: true });
    new Gestures(canvas.current, made, store, setHeld);
    setStage(made);
    window.superegg = { store, stage: made, meter };
    return () => {
      made.dispose();
      store.close();
      delete window.superegg;
    };
  }, []);

  useEffect(() => followAddress(store), []);
  useEffect(() => listenToWindow(store, () => stage, actions), [stage]);
  useEffect(() => (stage ? yieldToPanels(stage) : undefined), [stage]);

  const show = (next: Tab) => {
    tab.value = next;
    store.traceWanted.value = next === 'trace';
    if (next === 'trace') store.refreshTrace();
  };
  const lower = tab.value === 'trace' ? 'trace' : 'motion';

  return (
    <div class="lab" data-tab={tab.value}>
      <TopBar title="Contact Lab" connection={store.connection} onHelp={() => {
        setHelp(true);
      }}>
        <SceneMenu store={store} />
        <span class="spacer" />
        <Button icon="undo" label="Undo" disabled={!store.canUndo.value} onClick={() => {
          store.undo();
        }} />
        <Button icon="redo" label="Redo" disabled={!store.canRedo.value} onClick={() => {
          store.redo();
        }} />
        <FileMenu store={store} actions={actions} onPaste={() => {
          setPasting(true);
        }} />
      </TopBar>
      <main class="lab-main">
        <canvas ref={canvas} class="stage" tabIndex={0} aria-label="The bodies and their contact" />
        <div class="tools">
          <Choice label="Tool" value={store.tool.value} options={TOOLS} onChange={(value) => {
            store.tool.value = value;
          }} />
          <Button icon="frame" label="Look at everything" onClick={() => {
            stage?.frame(null);
          }} />
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
        {held && stage && <HeldPad store={store} stage={stage} held={held} />}
        <Notice store={store} />
      </main>
      {help && (
        <Help shortcuts={shortcuts(store, () => stage, actions)} onClose={() => {
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

/** The parameter widget under the finger that holds a body: it starts where the body is, and follows the slide. */
function HeldPad({ store, stage, held }: { store: Store; stage: Stage; held: Held }): JSX.Element | null {
  const start = useRef<[number, number] | null>(null);
  const body = store.scene.peek().bodies.find((other) => other.id === held.id);
  start.current ??= body?.exponents ?? null;
  const size = Math.min(300, 0.8 * window.innerWidth);
  const [e1, e2] = start.current ?? [1, 1];
  useEffect(() => {
    if (!start.current || (held.dx === 0 && held.dy === 0)) return;
    const exponents: [number, number] = [clampExponent(e1 + (2 * held.dx) / size), clampExponent(e2 - (2 * held.dy) / size)];
    store.adjustBody(held.id, (old) => ({ ...old, exponents }));
  }, [held]);
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

function SceneMenu({ store }: { store: Store }): JSX.Element {
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
          {shelf().length > 0 && <h3>Kept in this browser</h3>}
          {shelf().map((scene) => (
            <div key={scene.name} class="shelf-item">
              <button type="button" role="menuitem" class="scene-item" onClick={() => {
                store.open(scene);
                close();
              }}>
                <b>{scene.name}</b>
                <span>{scene.bodies.length} bodies</span>
              </button>
              <Button icon="trash" label={`Forget ${scene.name}`} onClick={() => {
                takeFromShelf(scene.name);
                close();
              }} />
            </div>
          ))}
        </>
      )}
    </Menu>
  );
}

function FileMenu({ store, actions, onPaste }: { store: Store; actions: Actions; onPaste: () => void }): JSX.Element {
  return (
    <Menu icon="save" label="File" align="right">
      {(close) => {
        const item = (run: () => void) => () => {
          close();
          run();
        };
        return (
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
                store.change((scene) => ({ ...scene, name }));
              }}
            />
            <MenuItem icon="save" label="Save as a file" hint="Ctrl S" onClick={item(actions.save)} />
            <MenuItem icon="open" label="Open a scene or a mesh" hint="Ctrl O" onClick={item(actions.open)} />
            <MenuItem icon="keep" label="Keep in this browser" onClick={item(() => {
              const kept = keepOnShelf(store.scene.peek());
              store.say(kept ? 'Kept in this browser.' : 'This browser keeps nothing.', kept ? 'info' : 'error');
            })} />
            <MenuItem icon="copy" label="Copy as superegg query" hint="Ctrl C" onClick={item(actions.copy)} />
            <MenuItem icon="paste" label="Paste superegg query" hint="Ctrl V" onClick={item(onPaste)} />
          </>
        );
      }}
    </Menu>
  );
}

function PasteDialog({ store, onClose }: { store: Store; onClose: () => void }): JSX.Element {
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
          navigator.clipboard.readText().then(type, () => {
            setWrong('The browser does not allow reading the clipboard here. Paste into the field instead.');
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

function Notice({ store }: { store: Store }): JSX.Element | null {
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

function makeActions(store: Store, setHelp: (open: boolean) => void): Actions {
  return {
    save: () => {
      const scene = store.scene.peek();
      download(`${scene.name.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'scene'}.superegg.json`, toFile(scene, store.meshes));
    },
    open: () => {
      void pickFile(`${SCENE_FILES},${MESH_FILES}`).then((file) => {
        if (file) void openFile(store, file);
      });
    },
    copy: () => {
      const scene = store.scene.peek();
      const contact = store.focus.peek() ? store.contact.peek() : null;
      const [a, b] = [scene.bodies.find((body) => body.id === contact?.a), scene.bodies.find((body) => body.id === contact?.b)];
      const text = a && b ? queryLine(scene, a, b) : queryLines(scene);
      navigator.clipboard.writeText(text).then(
        () => {
          store.say('Copied: paste it into superegg query.');
        },
        () => {
          store.say('The browser does not allow copying here.', 'error');
        },
      );
    },
    help: () => {
      setHelp(true);
    },
  };
}
