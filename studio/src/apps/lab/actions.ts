// Everything that can be done in Contact Lab, once: menus, help and keys are made from it.

import { Vector3 } from 'three';

import { fromBase64 } from '../../document/files';
import { LONGEST_LINK, packed } from '../../document/share';
import { toFile } from '../../document/storage';
import { copyText, download, MESH_FILES, pickFile, SCENE_FILES } from '../../document/transfer';
import type { Action } from '../../input/actions';
import { turned } from '../../input/drag';
import type { Body } from '../../shapes/body';
import { scaled } from '../../shapes/forms';
import { duplicate, removeBodies } from './editing';
import { APP, type ExportFormat } from './messages';
import { queryLine, queryLines } from './queryline';
import { filesOf, type Store } from './store';
import { openFile } from './surroundings';
import type { View } from './view';

export interface Around {
  store: Store;
  stage: () => View | null;
  help: () => void;
  /** Opens the dialog for pasted lines. */
  paste: () => void;
  /** Takes back what hands are doing; whether there was anything. */
  cancel: () => boolean;
}

const STEP = 0.05;
const ANGLE = Math.PI / 36;
const GROWTH = 1.05;
/** Pixels of a drag that one press of an arrow key stands for, and how much closer one press comes. */
const TURN = 16;
const CLOSER = 1.15;

export function labActions(around: Around): Action[] {
  return [...gestures(), ...bodyActions(around), ...motionActions(around), ...fileActions(around), ...viewActions(around)];
}

/** What only hands do. */
function gestures(): Action[] {
  const gesture = (id: string, what: string, does: string): Action => ({ id, gesture: what, label: does });
  return [
    gesture('drag-body', 'Drag a body', 'Moves it across the view, with all that is chosen'),
    gesture('roll-body', 'Right-drag a body, or Alt', 'Rolls it like a ball'),
    gesture('hold-body', 'Hold a body, then slide', 'Opens the parameter widget and chooses both exponents'),
    gesture('menu', 'Hold and let go, or right-click', 'Opens the menu of a body, or of the place beside the bodies'),
    gesture('two-on-body', 'Two fingers on a body', 'Move, turn and scale it'),
    gesture('choose-more', 'Shift-click', 'Chooses one more body'),
    gesture('orbit', 'Drag beside the bodies', 'Turns the view; Shift or right button shifts it'),
    gesture('zoom', 'Two fingers beside, or wheel', 'Shift, turn and zoom the view'),
    gesture('tap-undo', 'Tap with two fingers', 'Undoes; with three fingers, does it again'),
    gesture('drag-handle', 'Drag a handle', 'Moves or turns along one axis; changes a radius or a taper. Ctrl goes by steps'),
    gesture('double', 'Double-click', 'Looks at a body, or at everything'),
  ];
}

function bodyActions({ store, stage, cancel }: Around): Action[] {
  const chosen = () => store.selection.peek() !== null;
  const onBodies = (label: string, how: (body: Body) => Body) => {
    const ids = store.chosen();
    store.change((scene) => ({ ...scene, bodies: scene.bodies.map((body) => (ids.includes(body.id) ? how(body) : body)) }), label);
  };
  const unlocked = (how: (body: Body) => Body) => (body: Body) => (body.locked ? body : how(body));
  const along = (event?: KeyboardEvent) => {
    const view = stage();
    if (!view || !event) return;
    const { right, up } = view.viewAxes();
    const moves: Record<string, Vector3> = { ArrowRight: right, ArrowLeft: right.clone().negate(), ArrowUp: up, ArrowDown: up.clone().negate() };
    const move = moves[event.key]?.multiplyScalar(event.shiftKey ? STEP / 10 : STEP);
    if (move) onBodies('Move', unlocked((body) => ({ ...body, position: new Vector3(...body.position).add(move).toArray() })));
  };
  const roll = (sign: number) => () => {
    const axis = stage()?.viewDirection();
    if (axis) onBodies('Turn', unlocked((body) => ({ ...body, orientation: turned(body.orientation, axis, sign * ANGLE) })));
  };
  const next = (event?: KeyboardEvent) => {
    const { bodies } = store.scene.peek();
    const at = bodies.findIndex((body) => body.id === store.selection.peek());
    const by = event?.shiftKey ? -1 : 1;
    store.select(bodies[(at + by + bodies.length) % bodies.length]?.id ?? null);
  };
  const { selected } = store;
  return [
    { id: 'next', label: 'Next body (Shift: previous)', keys: ['N'], run: next },
    { id: 'nudge', label: 'Shift the body (Shift: finely)', keys: ['Arrows'], enabled: chosen, run: along },
    { id: 'roll-left', label: 'Turn the body left', keys: ['['], enabled: chosen, run: roll(-1) },
    { id: 'roll-right', label: 'Turn the body right', keys: [']'], enabled: chosen, run: roll(1) },
    { id: 'grow', label: 'Make the body larger', keys: ['+', '='], enabled: chosen, run: () => {
      onBodies('Scale', unlocked((body) => scaled(body, GROWTH)));
    } },
    { id: 'shrink', label: 'Make the body smaller', keys: ['-'], enabled: chosen, run: () => {
      onBodies('Scale', unlocked((body) => scaled(body, 1 / GROWTH)));
    } },
    { id: 'duplicate', label: 'Duplicate', icon: 'copy', keys: ['Ctrl+D'], menus: ['body'], enabled: chosen, run: () => {
      const id = store.selection.peek();
      if (id !== null) duplicate(store, id);
    } },
    { id: 'hide', label: 'Hide', icon: 'hidden', keys: ['H'], menus: ['body'], enabled: () => chosen() && !selected.peek()?.hidden, run: () => {
      onBodies('Hide', (body) => ({ ...body, hidden: true }));
      store.say('Hidden: it has no contacts. The list of bodies shows it again.');
    } },
    { id: 'show', label: 'Show again', icon: 'shown', menus: ['body'], enabled: () => selected.peek()?.hidden === true, run: () => {
      onBodies('Show', ({ hidden: _hidden, ...body }) => body);
    } },
    { id: 'lock', label: 'Lock', icon: 'locked', keys: ['L'], menus: ['body'], enabled: () => chosen() && !selected.peek()?.locked, run: () => {
      onBodies('Lock', (body) => ({ ...body, locked: true }));
      store.say('Locked: hands leave it where it is. The list of bodies frees it.');
    } },
    { id: 'unlock', label: 'Unlock', icon: 'unlocked', menus: ['body'], enabled: () => selected.peek()?.locked === true, run: () => {
      onBodies('Unlock', ({ locked: _locked, ...body }) => body);
    } },
    { id: 'frame-body', label: 'Look at it', icon: 'frame', menus: ['body'], enabled: chosen, run: () => {
      stage()?.frame(store.selection.peek());
    } },
    { id: 'remove', label: 'Remove', icon: 'trash', keys: ['Delete', 'Backspace'], menus: ['body'], enabled: chosen, run: () => {
      removeBodies(store, store.chosen());
    } },
    { id: 'all', label: 'Choose all bodies', keys: ['Ctrl+A'], menus: ['place'], icon: 'check', run: () => {
      const [first, ...rest] = store.scene.peek().bodies.filter((body) => !body.hidden).map((body) => body.id);
      store.select(first ?? null);
      store.others.value = rest;
    } },
    { id: 'show-all', label: 'Show what is hidden', icon: 'shown', menus: ['place'], enabled: () => store.scene.peek().bodies.some((body) => body.hidden), run: () => {
      store.change((scene) => ({ ...scene, bodies: scene.bodies.map(({ hidden: _hidden, ...body }) => body) }), 'Show');
    } },
    { id: 'escape', label: 'Take back a drag, or let go of the body', keys: ['Escape'], run: () => {
      if (!cancel()) store.select(null);
    } },
  ];
}

function motionActions({ store }: Around): Action[] {
  const step = (by: number) => () => {
    const last = (store.trace.peek()?.steps.length ?? 1) - 1;
    store.step.value = Math.min(Math.max(store.step.peek() + by, 0), last);
  };
  return [
    { id: 'play', label: 'Play or pause', keys: ['Space'], run: () => {
      store.playing.value = !store.playing.peek();
    } },
    { id: 'impact', label: 'Go to the next contact of the motion', keys: ['C'], run: () => {
      store.nextImpact();
    } },
    { id: 'step-back', label: 'Step back in a trace', keys: [','], run: step(-1) },
    { id: 'step-on', label: 'Step on in a trace', keys: ['.'], run: step(1) },
  ];
}

function fileActions({ store, stage, help, paste }: Around): Action[] {
  const fileName = () => store.scene.peek().name.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'scene';
  const exportAs = (format: ExportFormat) => () => {
    void store.exported(format).then((file) => {
      if (file) download(`${fileName()}.${format}`, fromBase64(file.base64), format === 'obj' ? 'model/obj' : 'model/gltf-binary');
    });
  };
  const copy = async (text: string, done: string) => {
    const copied = await copyText(text);
    store.say(copied ? done : 'The browser does not allow copying here.', copied ? 'info' : 'error');
  };
  return [
    { id: 'undo', label: 'Undo', icon: 'undo', keys: ['Ctrl+Z'], menus: ['place'], run: () => {
      store.undo();
    } },
    { id: 'redo', label: 'Redo', icon: 'redo', keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], menus: ['place'], run: () => {
      store.redo();
    } },
    { id: 'save', label: 'Save as a file', icon: 'save', keys: ['Ctrl+S'], menus: ['file'], run: () => {
      const scene = store.document.value.peek();
      const contents = new Map([...filesOf(scene)].map(([name, hash]) => [name, (hash === null ? undefined : store.files.get(hash)) ?? new Uint8Array()]));
      download(`${fileName()}.superegg.json`, toFile(APP, scene, contents));
    } },
    { id: 'open', label: 'Open a scene or a mesh', icon: 'open', keys: ['Ctrl+O'], menus: ['file'], run: () => {
      void pickFile(`${SCENE_FILES},${MESH_FILES}`).then((file) => {
        if (file) void openFile(store, file);
      });
    } },
    { id: 'keep', label: 'Keep in this browser', icon: 'keep', menus: ['file'], run: () => {
      const kept = store.shelf.put(store.document.value.peek());
      store.say(kept ? 'Kept in this browser.' : 'This browser keeps nothing.', kept ? 'info' : 'error');
    } },
    { id: 'share', label: 'Copy a link that carries it', icon: 'link', menus: ['file'], run: () => {
      const scene = store.document.value.peek();
      if (filesOf(scene).size > 0) {
        store.say('A link cannot carry meshes from files. Save the scene as a file instead.', 'error');
        return;
      }
      void packed(scene).then((text) => {
        const link = `${location.origin}${location.pathname}#/${APP}?share=${text}`;
        if (link.length > LONGEST_LINK) store.say('The scene is too large for a link. Save it as a file instead.', 'error');
        else void copy(link, 'Copied: the link carries the whole scene.');
      });
    } },
    { id: 'export-obj', label: 'Export as OBJ', icon: 'export', menus: ['file'], run: exportAs('obj') },
    { id: 'export-glb', label: 'Export as GLB', icon: 'export', menus: ['file'], run: exportAs('glb') },
    { id: 'export-png', label: 'Export the view as PNG', icon: 'picture', menus: ['file'], run: () => {
      void stage()?.png().then((blob) => {
        download(`${fileName()}.png`, blob);
      });
    } },
    { id: 'copy', label: 'Copy as superegg query', icon: 'copy', keys: ['Ctrl+C'], menus: ['file'], enabled: () => window.getSelection()?.isCollapsed ?? true, run: () => {
      const scene = store.scene.peek();
      const contact = store.focus.peek() ? store.contact.peek() : null;
      const [a, b] = [scene.bodies.find((body) => body.id === contact?.a), scene.bodies.find((body) => body.id === contact?.b)];
      void copy(a && b ? queryLine(scene, a, b) : queryLines(scene), 'Copied: paste it into superegg query.');
    } },
    { id: 'paste', label: 'Paste superegg query', icon: 'paste', menus: ['file', 'place'], run: paste },
    { id: 'help', label: 'This help', keys: ['?'], run: help },
  ];
}

function viewActions({ store, stage }: Around): Action[] {
  const look = (event?: KeyboardEvent) => {
    const view = stage();
    const turns: Record<string, [number, number]> = { ArrowRight: [-TURN, 0], ArrowLeft: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] };
    const turn = turns[event?.key ?? ''];
    if (!view || !turn) return;
    view.rig[event?.shiftKey ? 'shift' : 'drag'](...turn, view.activeHeight);
    view.invalidate();
  };
  const zoom = (factor: number) => () => {
    stage()?.rig.zoom(factor);
    stage()?.invalidate();
  };
  return [
    { id: 'look', label: 'Turn the view, with nothing chosen (Shift: shift it)', keys: ['Arrows'], enabled: () => store.selection.peek() === null, run: look },
    { id: 'closer', label: 'Come closer', keys: ['PageUp'], run: zoom(CLOSER) },
    { id: 'farther', label: 'Go farther away', keys: ['PageDown'], run: zoom(1 / CLOSER) },
    { id: 'tool-move', label: 'Tool: move', keys: ['1'], run: () => {
      store.tool.value = 'move';
    } },
    { id: 'tool-turn', label: 'Tool: turn', keys: ['2'], run: () => {
      store.tool.value = 'turn';
    } },
    { id: 'tool-shape', label: 'Tool: shape', keys: ['3'], run: () => {
      store.tool.value = 'shape';
    } },
    { id: 'frame-all', label: 'Look at everything', icon: 'frame', keys: ['Home'], menus: ['tools'], run: () => {
      stage()?.frame(null);
    } },
    { id: 'snap', label: 'Snap to steps of 0.1 m and 15°', icon: 'grid', keys: ['G'], menus: ['tools'], checked: () => store.snapping.value, run: () => {
      store.snapping.value = !store.snapping.peek();
    } },
    { id: 'axes', label: 'Axes of the body instead of the world', icon: 'axes', keys: ['X'], menus: ['tools'], checked: () => store.axes.value === 'local', run: () => {
      store.axes.value = store.axes.peek() === 'local' ? 'world' : 'local';
    } },
    { id: 'views', label: 'Four views instead of one', icon: 'views', keys: ['V'], menus: ['tools', 'place'], checked: () => store.views.value === 'four', run: () => {
      store.views.value = store.views.peek() === 'four' ? 'one' : 'four';
    } },
    { id: 'frame', label: 'Look at the body, or at everything', keys: ['F'], icon: 'frame', menus: ['place'], run: () => {
      stage()?.frame(store.selection.peek());
    } },
  ];
}
