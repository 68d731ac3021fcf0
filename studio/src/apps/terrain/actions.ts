// Everything that can be done in Terrain Cloth, once: menus, help and keys are made from it.

import { fromBase64 } from '../../document/files';
import { LONGEST_LINK, packed } from '../../document/share';
import { fromFile, toFile } from '../../document/storage';
import { copyText, download, pickFile, SCENE_FILES } from '../../document/transfer';
import type { Action } from '../../input/actions';
import { addCopies, changeChosen, chosenHills, makeHill, removeChosen } from './editing';
import { APP, type ExportFormat, type Hill } from './messages';
import { asStored, type Store } from './store';
import type { View } from './view';

export interface Around {
  store: Store;
  view: () => View | null;
  help: () => void;
  /** Takes back what hands are doing; whether there was anything. */
  cancel: () => boolean;
}

const STEP = 0.04;
const TURN = Math.PI / 24;
const GROWTH = 1.06;
/** Part of the cloth that may lie under other cloth without a warning. */
const HIDDEN = 0.005;
const TYPES: Record<ExportFormat, string> = { obj: 'model/obj', glb: 'model/gltf-binary', stl: 'model/stl', heightmap: 'image/png' };

export function terrainActions(around: Around): Action[] {
  return [...gestures(), ...hillActions(around), ...clothActions(around), ...fileActions(around), ...viewActions(around)];
}

/** What only hands do. */
function gestures(): Action[] {
  const gesture = (id: string, what: string, does: string): Action => ({ id, gesture: what, label: does });
  return [
    gesture('make-tap', 'Tap with two fingers, or double-click', 'Makes a body that rises under the cloth'),
    gesture('drag-hill', 'Drag a body', 'Moves it over the table, with all that are chosen'),
    gesture('drag-handle', 'Drag a handle', 'Blue: height. Red and green: length and width. Yellow: turn'),
    gesture('hold-hill', 'Hold a body, then slide', 'Opens the exponent widget: round, square or sharp'),
    gesture('pull', 'Drag the cloth', 'Pulls it; held for half a second, a clothespin stays'),
    gesture('pin', 'Drag a clothespin', 'Moves it; held still first, it comes off and can be put on elsewhere'),
    gesture('orbit', 'Two fingers, right button, or drag beside', 'Turn the view; pinch or wheel to come closer'),
    gesture('choose-more', 'Shift-click', 'Chooses one more body'),
    gesture('walk-hands', 'Walking: left and right thumb', 'Move and look around; tap on the right to jump'),
  ];
}

function hillActions({ store, view, cancel }: Around): Action[] {
  const editing = () => !store.walking.peek();
  const chosen = () => editing() && store.chosen.peek().length > 0;
  let copied: Hill[] = [];
  const nudge = (event?: KeyboardEvent) => {
    const axes = view()?.viewAxes();
    if (!axes || !event) return;
    const ahead = axes.up.clone().setZ(0).normalize();
    const right = axes.right.clone().setZ(0).normalize();
    const ways: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const [x, y] = ways[event.key] ?? [0, 0];
    const step = event.shiftKey ? STEP / 5 : STEP;
    const [dx, dy] = [step * (x * right.x + y * ahead.x), step * (x * right.y + y * ahead.y)];
    changeChosen(store, 'Move', (hill) => ({ ...hill, position: [hill.position[0] + dx, hill.position[1] + dy] }));
  };
  const scale = (across: number, up: number) => () => {
    changeChosen(store, 'Scale', (hill) => ({ ...hill, radii: [hill.radii[0] * across, hill.radii[1] * across, hill.radii[2] * up] }));
  };
  const turn = (sign: number) => () => {
    changeChosen(store, 'Turn', (hill) => ({ ...hill, turn: hill.turn + sign * TURN }));
  };
  const next = (event?: KeyboardEvent) => {
    const { hills } = store.landscape;
    const at = hills.findIndex(({ id }) => id === store.chosen.peek().at(-1));
    const found = hills[(at + (event?.shiftKey ? -1 : 1) + hills.length) % hills.length];
    store.choose(found ? [found.id] : []);
  };
  return [
    { id: 'make', label: 'New body', icon: 'plus', keys: ['B'], enabled: editing, run: () => {
      const target = view()?.orbit.target;
      const count = store.landscape.hills.length;
      // Around what is looked at, each a golden angle further.
      const [angle, far] = [2.4 * count, 0.12 * Math.sqrt(count)];
      makeHill(store, [(target?.x ?? 0) + far * Math.cos(angle), (target?.y ?? 0) + far * Math.sin(angle)]);
    } },
    { id: 'next', label: 'Next body (Shift: previous)', keys: ['N'], enabled: editing, run: next },
    { id: 'all', label: 'Choose all bodies', keys: ['Ctrl+A'], enabled: editing, run: () => {
      store.choose(store.landscape.hills.map(({ id }) => id));
    } },
    { id: 'nudge', label: 'Shift what is chosen (Shift: finely)', keys: ['Arrows'], enabled: chosen, run: nudge },
    { id: 'higher', label: 'Higher', keys: ['PageUp'], enabled: chosen, run: scale(1, GROWTH) },
    { id: 'lower', label: 'Lower', keys: ['PageDown'], enabled: chosen, run: scale(1, 1 / GROWTH) },
    { id: 'wider', label: 'Wider', keys: ['+', '='], enabled: chosen, run: scale(GROWTH, 1) },
    { id: 'narrower', label: 'Narrower', keys: ['-'], enabled: chosen, run: scale(1 / GROWTH, 1) },
    { id: 'turn-left', label: 'Turn left', keys: ['['], enabled: chosen, run: turn(1) },
    { id: 'turn-right', label: 'Turn right', keys: [']'], enabled: chosen, run: turn(-1) },
    { id: 'duplicate', label: 'Duplicate', icon: 'copy', keys: ['Ctrl+D'], menus: ['chosen'], enabled: chosen, run: () => {
      addCopies(store, chosenHills(store), 'Duplicate');
    } },
    { id: 'copy', label: 'Copy', keys: ['Ctrl+C'], enabled: chosen, run: () => {
      copied = chosenHills(store);
      store.say(copied.length === 1 ? 'Copied.' : `${copied.length} bodies copied.`);
    } },
    { id: 'paste', label: 'Paste', keys: ['Ctrl+V'], enabled: () => editing() && copied.length > 0, run: () => {
      addCopies(store, copied, 'Paste');
    } },
    { id: 'remove', label: 'Remove', icon: 'trash', keys: ['Delete', 'Backspace'], menus: ['chosen'], enabled: () => chosen() || (editing() && store.pin.peek() !== null), run: () => {
      removeChosen(store);
    } },
    { id: 'escape', label: 'Take back what is held, let go of what is chosen, stop walking', keys: ['Escape'], run: () => {
      if (cancel()) return;
      if (store.walking.peek()) store.walk(false);
      else store.choose([]);
    } },
  ];
}

function clothActions({ store }: Around): Action[] {
  const editing = () => !store.walking.peek();
  return [
    { id: 'drop', label: 'Drop the cloth again', icon: 'drop', keys: ['R'], menus: ['cloth'], enabled: editing, run: () => {
      store.changeSettings('Drop again', (settings) => ({ ...settings, drops: settings.drops + 1, frozen: false }));
    } },
    { id: 'smooth', label: 'Smooth it', icon: 'iron', keys: ['S'], menus: ['cloth'], enabled: editing, run: () => {
      store.changeSettings('Smooth', (settings) => ({ ...settings, smooths: settings.smooths + 1, frozen: false }));
    } },
    { id: 'freeze', label: 'Freeze it', icon: 'frost', keys: ['Z'], menus: ['cloth'], enabled: editing, checked: () => store.document.value.value.settings.frozen, run: () => {
      store.changeSettings('Freeze', (settings) => ({ ...settings, frozen: !settings.frozen }));
    } },
    { id: 'look', label: 'Cloth or terrain', keys: ['T'], enabled: editing, run: () => {
      store.look.value = store.look.peek() === 'cloth' ? 'terrain' : 'cloth';
    } },
    { id: 'walk', label: 'Walk on it, and come back', icon: 'walk', keys: ['G'], run: () => {
      store.walk(!store.walking.peek());
    } },
    { id: 'undo', label: 'Undo', icon: 'undo', keys: ['Ctrl+Z'], enabled: editing, run: () => {
      store.undo();
    } },
    { id: 'redo', label: 'Redo', icon: 'redo', keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], enabled: editing, run: () => {
      store.redo();
    } },
  ];
}

/** Opens a landscape from a file. */
export async function openFile(store: Store, file: File): Promise<void> {
  try {
    const opened = fromFile(await file.text());
    if (opened.app !== APP) throw new Error(`this file belongs to the app ${opened.app}`);
    store.open(asStored(opened.document));
  } catch (error) {
    store.say(`${file.name}: ${error instanceof Error ? error.message : 'unreadable'}`, 'error');
  }
}

function fileActions({ store, view }: Around): Action[] {
  const fileName = () => store.landscape.name.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'landscape';
  const exportAs = (format: ExportFormat) => () => {
    void store.exported(format).then((file) => {
      if (!file) return;
      download(file.name, fromBase64(file.base64), TYPES[format]);
      if (file.lost > HIDDEN) store.say(`${(100 * file.lost).toFixed(0)} % of the cloth lies under overhangs: a heightmap cannot hold it. OBJ, GLB and STL can.`, 'error');
      else if (file.heights) store.say(`White is ${(1000 * file.heights[1]).toFixed(0)} mm high, black is the table.`);
    });
  };
  return [
    { id: 'save', label: 'Save as a file', icon: 'save', keys: ['Ctrl+S'], menus: ['file'], run: () => {
      download(`${fileName()}.superegg.json`, toFile(APP, store.stored()));
    } },
    { id: 'open', label: 'Open a file', icon: 'open', keys: ['Ctrl+O'], menus: ['file'], run: () => {
      void pickFile(SCENE_FILES).then((file) => {
        if (file) void openFile(store, file);
      });
    } },
    { id: 'keep', label: 'Keep in this browser', icon: 'keep', menus: ['file'], run: () => {
      const kept = store.shelf.put(store.stored());
      store.say(kept ? 'Kept in this browser.' : 'This browser keeps nothing.', kept ? 'info' : 'error');
    } },
    { id: 'share', label: 'Copy a link that carries it', icon: 'link', menus: ['file'], run: () => {
      void shareLink(store).then(async (link) => {
        if (link === null) {
          store.say('The landscape is too large for a link. Save it as a file instead.', 'error');
          return;
        }
        const copied = await copyText(link);
        store.say(copied ? 'Copied: the link carries the bodies and how the cloth lies.' : 'The browser does not allow copying here.', copied ? 'info' : 'error');
      });
    } },
    { id: 'export-obj', label: 'Export as OBJ', icon: 'export', menus: ['file'], run: exportAs('obj') },
    { id: 'export-glb', label: 'Export as GLB', icon: 'export', menus: ['file'], run: exportAs('glb') },
    { id: 'export-stl', label: 'Export as STL to print', icon: 'export', menus: ['file'], run: exportAs('stl') },
    { id: 'export-heightmap', label: 'Export as a heightmap', icon: 'picture', menus: ['file'], run: exportAs('heightmap') },
    { id: 'export-png', label: 'Export the view as PNG', icon: 'picture', menus: ['file'], run: () => {
      void view()?.png().then((blob) => {
        download(`${fileName()}-view.png`, blob);
      });
    } },
  ];
}

/** Vertices along a side of the cloth that a link carries, finest first. */
const LINKED_SIDES = [41, 33, 25, 17];

/** A link with the landscape and how its cloth lies, as finely as a link may be long; null if it is too long all the same. */
async function shareLink(store: Store): Promise<string | null> {
  for (const side of LINKED_SIDES) {
    const text = await packed(store.stored(side));
    const link = `${location.origin}${location.pathname}#/${APP}?share=${text}`;
    if (link.length <= LONGEST_LINK) return link;
  }
  return null;
}

function viewActions({ store, view, help }: Around): Action[] {
  const look = (event?: KeyboardEvent) => {
    const ways: Record<string, [number, number]> = { ArrowRight: [-16, 0], ArrowLeft: [16, 0], ArrowUp: [0, 16], ArrowDown: [0, -16] };
    const way = ways[event?.key ?? ''];
    const shown = view();
    if (!way || !shown) return;
    shown.orbit.turn(...way);
    shown.invalidate();
  };
  return [
    { id: 'turn-view', label: 'Turn the view, with nothing chosen', keys: ['Arrows'], enabled: () => !store.walking.peek() && store.chosen.peek().length === 0, run: look },
    { id: 'frame', label: 'Look at everything', icon: 'frame', keys: ['Home', 'F'], enabled: () => !store.walking.peek(), run: () => {
      view()?.lookAtAll();
    } },
    { id: 'help', label: 'This help', keys: ['?'], run: help },
  ];
}
