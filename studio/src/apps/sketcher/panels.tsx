// The panel of each mode, the bar of modes, and what is said about what is close.

import type { JSX } from 'preact';
import { Quaternion, Vector3 } from 'three';

import type { Action } from '../../input/actions';
import { Button, Choice, Slider } from '../../ui/controls';
import { ExponentPad } from '../../widgets/ExponentPad';
import type { Articulation, Bone } from './messages';
import { bonesAt, grown, mirroredTurn, otherBone, quad } from './skeleton';
import type { Mode, Store } from './store';
import { turnOf } from './tools';
import type { View } from './view';

const MODES: { value: Mode; label: string; icon: 'segment' | 'turn' | 'egg' | 'walk' | 'drop' }[] = [
  { value: 'skeleton', label: 'Skeleton', icon: 'segment' },
  { value: 'joint', label: 'Joint', icon: 'turn' },
  { value: 'hitbox', label: 'Hitbox', icon: 'egg' },
  { value: 'pose', label: 'Pose', icon: 'walk' },
  { value: 'physics', label: 'Physics', icon: 'drop' },
];

const TURNS = ['Bend', 'Sway', 'Twist'] as const;
const DEGREE = Math.PI / 180;

export function ModeBar({ store, panel, onPanel }: { store: Store; panel: boolean; onPanel: () => void }): JSX.Element {
  return (
    <div class="sketcher-bar">
      <Choice label="Mode" value={store.mode.value} options={MODES} onChange={(mode) => {
        store.setMode(mode);
      }} />
      <Button icon="sliders" label="Panel" pressed={panel} onClick={onPanel} />
    </div>
  );
}

export function Panel({ store, view, actions }: { store: Store; view: View | null; actions: Action[] }): JSX.Element {
  const mode = store.mode.value;
  return (
    <section class="panel sketcher-panel" aria-label={MODES.find(({ value }) => value === mode)?.label ?? ''}>
      {mode === 'skeleton' && <SkeletonPanel store={store} actions={actions} />}
      {mode === 'joint' && <JointPanel store={store} view={view} />}
      {mode === 'hitbox' && <HitboxPanel store={store} view={view} actions={actions} />}
      {mode === 'pose' && <PosePanel store={store} actions={actions} />}
      {mode === 'physics' && <PhysicsPanel store={store} />}
      <Close store={store} />
    </section>
  );
}

function Row({ actions, ids }: { actions: Action[]; ids: string[] }): JSX.Element {
  const found = ids.flatMap((wanted) => actions.filter(({ id }) => id === wanted));
  return (
    <div class="sketcher-row">
      {found.map(({ id, icon, label, checked, enabled, run }) => (
        <Button key={id} icon={icon ?? 'check'} label={label} wordy {...(checked ? { pressed: checked() } : {})} disabled={!(enabled?.() ?? true)} onClick={() => run?.()} />
      ))}
    </div>
  );
}

function SkeletonPanel({ store, actions }: { store: Store; actions: Action[] }): JSX.Element {
  const { bones, joints } = store.document.value.value;
  const chosen = store.chosen.value;
  return (
    <fieldset>
      <legend>Skeleton: {bones.length} {bones.length === 1 ? 'bone' : 'bones'}, {joints.length} joints</legend>
      <p class="hint">{bones.length === 0 ? 'Draw a line: it becomes a bone. A bent line becomes a chain.' : 'Draw from a joint to go on. Tap a bone to split it, hold a joint to move it.'}</p>
      <Row actions={actions} ids={['mirror', 'erase']} />
      {chosen?.kind === 'joint' && <Row actions={actions} ids={['remove']} />}
    </fieldset>
  );
}

function JointPanel({ store, view }: { store: Store; view: View | null }): JSX.Element {
  const creature = store.document.value.value;
  const chosen = store.chosen.value;
  const joint = chosen?.kind === 'joint' ? chosen.id : chosen?.kind === 'bone' ? store.bone(chosen.id)?.from : undefined;
  const bones = joint === undefined ? [] : bonesAt(creature, joint);
  const bone = bones.find(({ id }) => chosen?.kind === 'bone' && id === chosen.id) ?? bones[0];
  if (!bone) {
    return (
      <fieldset>
        <legend>Joint</legend>
        <p class="hint">{joint === undefined ? 'Tap a joint to say how the bones that begin there turn.' : 'Nothing turns about this joint: it is an end, or the root.'}</p>
      </fieldset>
    );
  }
  const facts = store.link.facts.value;
  const one = chosen?.kind === 'bone';
  const change = (how: (articulation: Articulation) => Articulation) => {
    const ids = one ? [bone.id] : bones.map(({ id }) => id);
    store.document.adjust((before) => ({ ...before, bones: before.bones.map((other) => changed(store, other, ids, how)) }));
  };
  return (
    <>
      <fieldset>
        <legend>{one ? 'Bone' : `${bones.length} bones at this joint`}</legend>
        {bones.length > 1 && (
          <select class="sketcher-select" aria-label="Bone" value={one ? String(bone.id) : ''} onChange={(event) => {
            const { value } = event.currentTarget;
            store.chosen.value = value === '' && joint !== undefined ? { kind: 'joint', id: joint } : { kind: 'bone', id: Number(value) };
          }}>
            <option value="">all of them</option>
            {bones.map(({ id, name }) => <option key={id} value={String(id)}>{name}</option>)}
          </select>
        )}
        {one && (
          <input class="name" aria-label="Name of the bone" value={bone.name} maxLength={60} onKeyDown={(event) => {
            event.stopPropagation();
          }} onChange={(event) => {
            const name = event.currentTarget.value.trim();
            if (name) store.change('Rename', (before) => ({ ...before, bones: before.bones.map((other) => (other.id === bone.id ? { ...other, name } : other)) }));
          }} />
        )}
        <div class="sketcher-presets" role="group" aria-label="Kinds of joints">
          {facts?.presets.map(({ name, ranges }) => (
            <button key={name} type="button" aria-pressed={JSON.stringify(ranges) === JSON.stringify(bone.articulation.ranges)} onClick={() => {
              store.document.begin('Joint');
              change((articulation) => ({ ...articulation, ranges }));
              store.document.commit();
            }}>{name}</button>
          ))}
        </div>
      </fieldset>
      {TURNS.map((label, turn) => <Range key={label} store={store} bone={bone} label={label} turn={turn} change={change} />)}
      <fieldset>
        <legend>Axes</legend>
        <div class="sketcher-row">
          <Button icon="turn" label="Turn the axes by 15° about the bone" wordy text="15°" onClick={() => {
            store.document.begin('Turn axes');
            change((articulation) => ({ ...articulation, axes: quad(new Quaternion(...articulation.axes).multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 15 * DEGREE)).normalize()) }));
            store.document.commit();
          }} />
          <Button icon="plane" label="Bend in the plane of this view" wordy text="In this view" onClick={() => {
            const toward = view?.viewDirection();
            if (!toward) return;
            store.document.begin('Align axes');
            change((articulation) => ({ ...articulation, axes: alignedTo(articulation.axes, toward) }));
            store.document.commit();
          }} />
        </div>
      </fieldset>
    </>
  );
}

/** A bone that turns in another way, or its image on the other side. */
function changed(store: Store, bone: Bone, ids: number[], how: (articulation: Articulation) => Articulation): Bone {
  if (ids.includes(bone.id)) return { ...bone, articulation: how(bone.articulation) };
  if (!store.creature.mirror) return bone;
  const other = otherBone(store.creature, bone);
  if (!other || !ids.includes(other.id)) return bone;
  const { axes, ranges } = how(other.articulation);
  const back = ([low, high]: [number, number]): [number, number] => [high === 0 ? 0 : -high, low === 0 ? 0 : -low];
  return { ...bone, articulation: { axes: mirroredTurn(axes), ranges: [ranges[0], back(ranges[1]), back(ranges[2])] } };
}

/** Axes with the same z whose x looks along a direction as nearly as can be. */
function alignedTo(axes: Articulation['axes'], toward: Vector3): Articulation['axes'] {
  const turn = new Quaternion(...axes);
  const [x, z] = [new Vector3(1, 0, 0).applyQuaternion(turn), new Vector3(0, 0, 1).applyQuaternion(turn)];
  const wanted = toward.clone().projectOnPlane(z);
  if (wanted.length() < 1e-3) return axes;
  const angle = Math.atan2(x.clone().cross(wanted).dot(z), x.dot(wanted));
  // Of both ways to look along it the nearer.
  const nearer = Math.abs(angle) > Math.PI / 2 ? angle - Math.sign(angle) * Math.PI : angle;
  return quad(turn.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), nearer)).normalize());
}

interface RangeProps {
  store: Store;
  bone: Bone;
  label: string;
  turn: number;
  change: (how: (articulation: Articulation) => Articulation) => void;
}

/** Least and greatest angle of a turn. */
function Range({ store, bone, label, turn, change }: RangeProps): JSX.Element {
  const [low, high] = bone.articulation.ranges[turn] ?? [0, 0];
  const set = (end: 0 | 1, degrees: number) => {
    change((articulation) => ({
      ...articulation,
      ranges: articulation.ranges.map((range, k): [number, number] => (k !== turn ? range : end === 0 ? [Math.min(degrees * DEGREE, 0), range[1]] : [range[0], Math.max(degrees * DEGREE, 0)])) as Articulation['ranges'],
    }));
  };
  const common = (end: 0 | 1) => ({
    unit: '°', digits: 0,
    onBegin: () => {
      store.document.begin(label);
    },
    onInput: (value: number) => {
      set(end, value);
    },
    onCommit: () => {
      store.document.commit();
    },
  });
  return (
    <fieldset class={`sketcher-turn turn-${turn}`}>
      <legend>{label}</legend>
      <Slider label="from" value={low / DEGREE} min={-180} max={0} {...common(0)} />
      <Slider label="to" value={high / DEGREE} min={0} max={180} {...common(1)} />
    </fieldset>
  );
}

function HitboxPanel({ store, view, actions }: { store: Store; view: View | null; actions: Action[] }): JSX.Element {
  const creature = store.document.value.value;
  const { value } = store.chosen;
  const hitbox = value?.kind === 'hitbox' ? creature.hitboxes.find(({ id }) => id === value.id) : undefined;
  const bone = creature.bones.find(({ id }) => id === hitbox?.bone);
  let start = creature;
  return (
    <>
      {hitbox && view ? (
        <fieldset>
          <legend>Hitbox of {bone?.name}</legend>
          <HitboxPad key={hitbox.id} store={store} view={view} id={hitbox.id} />
          <Choice label="Handles" value={store.tool.value} options={[{ value: 'shape', label: 'Size', icon: 'shape' }, { value: 'move', label: 'Move', icon: 'move' }, { value: 'turn', label: 'Turn', icon: 'turn' }]} onChange={(tool) => {
            store.tool.value = tool;
          }} />
          <Slider label="Taper" value={stronger(hitbox.taper)} min={-0.9} max={0.9} digits={2} onBegin={() => {
            store.document.begin('Taper');
          }} onInput={(taper) => {
            store.adjustHitbox(hitbox.id, (old) => ({ ...old, taper: [taper, taper] }));
          }} onCommit={() => {
            store.document.commit();
          }} />
          <Row actions={actions} ids={['duplicate', 'remove']} />
        </fieldset>
      ) : (
        <fieldset>
          <legend>{creature.hitboxes.length} {creature.hitboxes.length === 1 ? 'hitbox' : 'hitboxes'}</legend>
          <p class="hint">Draw an ellipse over a bone. Tap it to choose it, hold it to change its shape.</p>
        </fieldset>
      )}
      <fieldset>
        <legend>All hitboxes</legend>
        <Slider label="Grow" value={0} min={-40} max={40} unit="%" digits={0} onBegin={() => {
          start = store.creature;
          store.document.begin('Grow');
        }} onInput={(percent) => {
          store.document.adjust(() => grown(start, 1 + percent / 100, store.link.facts.peek()));
        }} onCommit={() => {
          store.document.commit();
        }} />
        <Row actions={actions} ids={['open-mesh', 'fit']} />
      </fieldset>
    </>
  );
}

/** Of both tapers the one that is seen more: handles change each for itself. */
function stronger([x, y]: [number, number]): number {
  return Math.abs(y) > Math.abs(x) ? y : x;
}

/** The exponent widget of a hitbox. */
export function HitboxPad({ store, view, id }: { store: Store; view: View; id: number }): JSX.Element {
  return (
    <ExponentPad view={view} shape={() => {
      const hitbox = store.document.value.value.hitboxes.find((other) => other.id === id);
      return hitbox ? { radii: hitbox.radii, exponents: hitbox.exponents, orientation: turnOf(hitbox) } : null;
    }} onBegin={() => {
      store.document.begin('Shape');
    }} onInput={(exponents) => {
      store.adjustHitbox(id, (old) => ({ ...old, exponents }));
    }} onCommit={() => {
      store.document.commit();
    }} onCancel={() => {
      store.document.cancel();
    }} />
  );
}

function PosePanel({ store, actions }: { store: Store; actions: Action[] }): JSX.Element {
  return (
    <fieldset>
      <legend>Pose</legend>
      <p class="hint">{store.lining.value ? 'Draw a line from one joint to another: the bones between them bend along it.' : 'Drag a joint: the bones before it follow, within their limits.'}</p>
      <Row actions={actions} ids={['line', 'rest']} />
    </fieldset>
  );
}

function PhysicsPanel({ store }: { store: Store }): JSX.Element {
  return (
    <fieldset>
      <legend>Physics</legend>
      <p class="hint">Pull it with a finger; twist it with two, or with Shift and the mouse. Leaving brings the pose back.</p>
      <Choice label="Held" value={store.hang.value ? 'hang' : 'lie'} options={[{ value: 'hang', label: 'Hang', icon: 'pin' }, { value: 'lie', label: 'Fall', icon: 'drop' }]} onChange={(value) => {
        store.setHang(value === 'hang');
      }} />
    </fieldset>
  );
}

/** Bones that are close, the closest first. */
function Close({ store }: { store: Store }): JSX.Element | null {
  const contacts = store.contacts.value;
  const name = (id: number) => store.document.value.value.bones.find((bone) => bone.id === id)?.name ?? '?';
  if (contacts.length === 0) return store.document.value.value.hitboxes.length > 1 ? <p class="sketcher-clear">No bones overlap but neighbours.</p> : null;
  const millimetres = (distance: number) => `${(1000 * Math.abs(distance)).toFixed(Math.abs(distance) < 0.01 ? 1 : 0)} mm`;
  return (
    <fieldset class="sketcher-close">
      <legend>Close to each other</legend>
      <ul>
        {contacts.slice(0, 6).map(({ bones, distance }) => (
          <li key={bones.join()} class={distance < 0 ? 'deep' : ''}>
            <span>{name(bones[0])} – {name(bones[1])}</span>
            <b>{distance < 0 ? `${millimetres(distance)} deep` : millimetres(distance)}</b>
          </li>
        ))}
      </ul>
      {contacts.length > 6 && <p class="hint">and {contacts.length - 6} more</p>}
    </fieldset>
  );
}
