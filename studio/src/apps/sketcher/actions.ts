// What can be done in Multibody Sketcher: menus, help and keys are made from these.

import { fromBase64 } from '../../document/files';
import { LONGEST_LINK, packed } from '../../document/share';
import { fromFile, toFile } from '../../document/storage';
import { copyText, download, MESH_FILES, pickFile } from '../../document/transfer';
import type { Action } from '../../input/actions';
import { APP, type Backdrop, type Creature, type ExportFormat } from './messages';
import { asCreature, AT_REST, type Mode, type Store } from './store';
import { removeKey, setKey } from './Timeline';
import type { View } from './view';

const MESH = /\.(obj|stl|ply)$/i;
/** What can be opened. */
const APP_FILES = '.json,.urdf,.xml,application/json';

export interface Around {
  store: Store;
  view: () => View | null;
  help: () => void;
  /** Takes back what hands are doing; whether there was anything. */
  cancel: () => boolean;
}

const EXPORTS: { format: ExportFormat; label: string; type: string }[] = [
  { format: 'urdf', label: 'Export as URDF', type: 'application/xml' },
  { format: 'urdf_compat', label: 'Export as URDF with meshes (zip)', type: 'application/zip' },
  { format: 'mjcf', label: 'Export as MJCF for MuJoCo', type: 'application/xml' },
  { format: 'glb', label: 'Export as GLB, animated', type: 'model/gltf-binary' },
  { format: 'collada', label: 'Export as COLLADA', type: 'model/vnd.collada+xml' },
  { format: 'scene', label: 'Export as a scene for superegg sim', type: 'application/toml' },
];

export function sketcherActions(around: Around): Action[] {
  return [...gestures(), ...modeActions(around), ...creatureActions(around), ...poseActions(around), ...fileActions(around), ...viewActions(around)];
}

/** What only hands do. */
function gestures(): Action[] {
  const gesture = (id: string, what: string, does: string): Action => ({ id, gesture: what, label: does });
  return [
    gesture('draw-bone', 'Skeleton: draw a line', 'A bone, or a chain where it bends; it welds to joints and bones nearby'),
    gesture('split-bone', 'Skeleton: tap a bone', 'Splits it in two'),
    gesture('move-joint', 'Skeleton: hold a joint, then drag', 'Moves it; hitboxes go along'),
    gesture('tap-joint', 'Joint: tap a joint', 'How its bones bend, sway and twist: the pies show it'),
    gesture('draw-ellipse', 'Hitbox: draw an ellipse over a bone', 'A superellipsoid that is part of it'),
    gesture('two-hitbox', 'Hitbox: two fingers', 'Move, turn and scale it; handles do the same for a mouse'),
    gesture('hold-hitbox', 'Hitbox: hold it, then slide', 'Opens the exponent widget: round, square or sharp'),
    gesture('drag-pose', 'Pose: drag a joint', 'The bones before it follow within their limits'),
    gesture('pull', 'Physics: drag, or two fingers', 'Pulls and twists; with the mouse, Shift twists'),
    gesture('box', 'The open box', 'Six straight views to draw in, and a free one in its middle'),
    gesture('orbit', 'Right button, two fingers, wheel', 'Move the view; zoom'),
  ];
}

function modeActions({ store }: Around): Action[] {
  const mode = (key: string, value: Mode, label: string): Action => ({ id: `mode-${value}`, label: `${label} mode`, keys: [key], run: () => {
    store.setMode(value);
  } });
  return [mode('1', 'skeleton', 'Skeleton'), mode('2', 'joint', 'Joint'), mode('3', 'hitbox', 'Hitbox'), mode('4', 'pose', 'Pose'), mode('5', 'physics', 'Physics')];
}

function creatureActions({ store, cancel }: Around): Action[] {
  const chosen = () => store.chosen.peek();
  return [
    { id: 'mirror', label: 'Mirror', icon: 'join', keys: ['M'], checked: () => store.document.value.value.mirror, run: () => {
      store.change('Mirror', (creature) => ({ ...creature, mirror: !creature.mirror }));
    } },
    { id: 'erase', label: 'Erase', icon: 'trash', keys: ['E'], checked: () => store.erasing.value, enabled: () => store.mode.value === 'skeleton', run: () => {
      store.erasing.value = !store.erasing.peek();
    } },
    { id: 'remove', label: 'Remove', icon: 'trash', keys: ['Delete', 'Backspace'], enabled: () => chosen() !== null && store.mode.peek() !== 'physics' && store.mode.peek() !== 'pose', run: () => {
      const value = chosen();
      store.chosen.value = null;
      if (value?.kind === 'hitbox') store.change('Remove', (creature) => ({ ...creature, hitboxes: creature.hitboxes.filter(({ id }) => id !== value.id) }));
      else if (value) void store.draw('Remove', { remove: { joints: value.kind === 'joint' ? [value.id] : [], bones: value.kind === 'bone' ? [value.id] : [] } });
    } },
    { id: 'duplicate', label: 'Duplicate', icon: 'copy', keys: ['Ctrl+D'], enabled: () => chosen()?.kind === 'hitbox', run: () => {
      const hitbox = store.hitbox(chosen()?.id);
      if (!hitbox) return;
      const id = Math.max(0, ...store.creature.hitboxes.map((other) => other.id)) + 1;
      const [x, y, z] = hitbox.position;
      const shift = 0.5 * Math.min(...hitbox.radii);
      store.change('Duplicate', (creature) => ({ ...creature, hitboxes: [...creature.hitboxes, { ...hitbox, id, position: [x + shift, y, z + shift] }] }));
      store.chosen.value = { kind: 'hitbox', id };
    } },
    { id: 'undo', label: 'Undo', icon: 'undo', keys: ['Ctrl+Z'], run: () => {
      store.undo();
    } },
    { id: 'redo', label: 'Redo', icon: 'redo', keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], run: () => {
      store.redo();
    } },
    { id: 'escape', label: 'Take back what is held, let go of what is chosen', keys: ['Escape'], run: () => {
      if (cancel()) return;
      store.chosen.value = null;
      store.erasing.value = false;
      store.lining.value = false;
    } },
  ];
}

function poseActions({ store }: Around): Action[] {
  const posing = () => store.mode.peek() === 'pose';
  return [
    { id: 'line', label: 'Line of action', icon: 'segment', keys: ['L'], checked: () => store.lining.value, enabled: () => store.mode.value === 'pose', run: () => {
      store.lining.value = !store.lining.peek();
    } },
    { id: 'rest', label: 'Back to rest', icon: 'undo', keys: ['R'], enabled: () => store.mode.value === 'pose', run: () => {
      store.change('Rest', (creature) => ({ ...creature, stance: AT_REST }));
    } },
    { id: 'play', label: 'Play and pause', keys: ['Space'], enabled: posing, run: () => {
      store.play(!store.playing.peek());
    } },
    { id: 'key', label: 'Set a keyframe', keys: ['K'], enabled: posing, run: () => {
      setKey(store);
    } },
    { id: 'remove-key', label: 'Remove the keyframe here', keys: ['Shift+K', 'Delete'], enabled: posing, run: () => {
      removeKey(store);
    } },
  ];
}

function fileActions({ store, view }: Around): Action[] {
  const fileName = () => store.creature.name.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'creature';
  return [
    { id: 'save', label: 'Save as a file', icon: 'save', keys: ['Ctrl+S'], menus: ['file'], run: () => {
      const files = new Map((store.creature.meshes ?? []).flatMap(({ file, hash }) => {
        const content = store.files.get(hash);
        return content ? [[file, content] as const] : [];
      }));
      download(`${fileName()}.superegg.json`, toFile(APP, store.creature, files));
    } },
    { id: 'open', label: 'Open a file or a robot (URDF)', icon: 'open', keys: ['Ctrl+O'], menus: ['file'], run: () => {
      void pickFile(APP_FILES).then((file) => {
        if (file) void openFile(store, file, view());
      });
    } },
    { id: 'open-mesh', label: 'Open a mesh', icon: 'mesh', menus: ['file'], run: () => {
      void pickFile(MESH_FILES).then((file) => {
        if (file) void openMesh(store, file);
      });
    } },
    { id: 'fit', label: 'Fit to mesh', icon: 'shape', enabled: () => (store.document.value.value.meshes ?? []).length > 0, run: () => {
      void fit(store);
    } },
    { id: 'keep', label: 'Keep in this browser', icon: 'keep', menus: ['file'], run: () => {
      const kept = store.shelf.put(store.creature);
      store.say(kept ? 'Kept in this browser.' : 'This browser keeps nothing.', kept ? 'info' : 'error');
    } },
    { id: 'share', label: 'Copy a link that carries it', icon: 'link', menus: ['file'], run: () => {
      void share(store);
    } },
    ...EXPORTS.map(({ format, label, type }): Action => ({ id: `export-${format}`, label, icon: 'export', menus: ['file'], run: () => {
      void store.exported(format).then((file) => {
        if (file) download(file.name, fromBase64(file.base64), type);
      });
    } })),
    { id: 'export-png', label: 'Export the view as PNG', icon: 'picture', menus: ['file'], run: () => {
      void view()?.png().then((blob) => {
        download(`${fileName()}-view.png`, blob);
      });
    } },
  ];
}

async function share(store: Store): Promise<void> {
  const { meshes, ...bare } = store.creature;
  const link = `${location.origin}${location.pathname}#/${APP}?share=${await packed(bare)}`;
  if (link.length > LONGEST_LINK) {
    store.say('The creature is too large for a link. Save it as a file instead.', 'error');
    return;
  }
  const copied = await copyText(link);
  const words = meshes?.length ? 'Copied, without the meshes.' : 'Copied: the link carries all of it.';
  store.say(copied ? words : 'The browser does not allow copying here.', copied ? 'info' : 'error');
}

/** Fits the chosen hitbox, or one for every bone that has none. */
async function fit(store: Store): Promise<void> {
  const { value } = store.chosen;
  const hitbox = value?.kind === 'hitbox' ? store.hitbox(value.id) : undefined;
  if (hitbox) {
    await store.draw('Fit', { fit: { bone: hitbox.bone, hitbox: hitbox.id } });
    return;
  }
  const bare = store.creature.bones.filter(({ id }) => store.creature.hitboxes.every(({ bone }) => bone !== id));
  for (const { id } of bare) await store.draw('Fit', { fit: { bone: id } });
  if (bare.length === 0) store.say('Choose a hitbox to fit: every bone has one already.');
}

/** Opens a creature from a file, or the robot of a URDF file. */
export async function openFile(store: Store, file: File, view: View | null): Promise<void> {
  try {
    if (MESH.test(file.name)) {
      await openMesh(store, file);
      return;
    }
    const text = await file.text();
    if (/\.(urdf|xml)$/i.test(file.name)) {
      const robot = await store.imported(text);
      if (robot) store.open(robot);
    } else {
      const opened = fromFile(text);
      if (opened.app !== APP) throw new Error(`this file belongs to the app ${opened.app}`);
      const creature = asCreature(opened.document);
      for (const content of opened.files.values()) store.files.add(content);
      store.open(creature);
    }
    view?.lookAnew();
  } catch (error) {
    store.say(`${file.name}: ${error instanceof Error ? error.message : 'unreadable'}`, 'error');
  }
}

/** Opens files one after the other: a robot's first, then the meshes that it names. */
export async function openFiles(store: Store, files: File[], view: View | null): Promise<void> {
  const isMesh = ({ name }: File) => Number(MESH.test(name));
  for (const file of [...files].sort((a, b) => isMesh(a) - isMesh(b))) await openFile(store, file, view);
}

/** Puts a mesh beside the skeleton; of a robot that names it, where it belongs. */
export async function openMesh(store: Store, file: File): Promise<void> {
  const hash = store.files.add(new Uint8Array(await file.arrayBuffer()));
  const known = store.creature.meshes ?? [];
  if (known.some((mesh) => mesh.file === file.name)) {
    store.change('Open a mesh', (creature) => ({ ...creature, meshes: known.map((mesh) => (mesh.file === file.name ? { ...mesh, hash } : mesh)) }));
    return;
  }
  const id = Math.max(0, ...known.map((mesh) => mesh.id)) + 1;
  const made: Backdrop = { id, file: file.name, hash, position: [0, 0, 0], orientation: [0, 0, 0, 1], scale: [1, 1, 1] };
  store.change('Open a mesh', (creature: Creature) => ({ ...creature, meshes: [...known, made] }));
}

function viewActions({ store, view, help }: Around): Action[] {
  return [
    { id: 'frame', label: 'Look at everything', icon: 'frame', keys: ['Home', 'F'], run: () => {
      view()?.lookAtAll();
    } },
    { id: 'views', label: 'One, two or four views', icon: 'views', keys: ['V'], run: () => {
      store.layout.value = store.layout.peek() === 1 ? 2 : store.layout.peek() === 2 ? 4 : 1;
    } },
    { id: 'help', label: 'This help', keys: ['?'], run: help },
  ];
}
