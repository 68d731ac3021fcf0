// The panels of Contact Lab that hold its bodies and their shapes.

import './panels.css';

import type { JSX } from 'preact';
import { Euler, MathUtils, Quaternion } from 'three';

import { MESH_FILES, pickFile } from '../../document/transfer';
import type { Body, Part } from '../../shapes/body';
import { canJoin, FORMS, heightRange, iconOf, isUnbounded, KINDS, resized, sizeOf, sizes, sound } from '../../shapes/forms';
import { trefoil } from '../../shapes/knot';
import { bodyColour } from '../../stage/palette';
import { Button, Menu, MenuItem, Numeric, Slider } from '../../ui/controls';
import { short } from '../../ui/format';
import { Icon } from '../../ui/icons';
import { HOLES, tapered } from '../../widgets/handles';
import { addBody, addMesh, duplicate, joinNearest, removeBodies, takeApart } from './editing';
import type { BodyFacts } from './messages';
import { ParameterPad } from './ParameterPad';
import type { Store } from './store';
import type { View } from './view';

type Vector = [number, number, number];
/** Parts of a compound that are listed one by one. */
const MOST_LISTED = 8;
/** Corners of a hull that are shown as numbers; others are only held by their knobs. */
const MOST_CORNERS = 12;

export function Bodies({ store }: { store: Store }): JSX.Element {
  const { bodies } = store.scene.value;
  const facts = new Map((store.contacts.value?.bodies ?? []).map((fact) => [fact.id, fact]));
  return (
    <section class="panel bodies" aria-label="Bodies">
      <header>
        <h2>Bodies</h2>
        <Menu icon="plus" label="Add a body" wordyLabel="Add">
          {(close) => <AddMenu store={store} close={close} />}
        </Menu>
      </header>
      <ul class="body-list">
        {bodies.map((body, index) => (
          <li key={body.id}>
            <button
              type="button"
              class="body-row"
              aria-pressed={store.selection.value === body.id || store.others.value.includes(body.id)}
              onClick={(event) => {
                const more = event.shiftKey || event.ctrlKey || event.metaKey;
                store.select(!more && store.selection.peek() === body.id ? null : body.id, more);
              }}
            >
              <i class="swatch" style={{ background: body.colour ?? (isUnbounded(body) ? 'var(--line)' : bodyColour(index)) }} />
              <span class="body-name">{body.name}</span>
              <Badge body={body} facts={facts.get(body.id)} />
            </button>
            <Marks store={store} body={body} />
          </li>
        ))}
      </ul>
      {bodies.length === 0 && <p class="hint">Nothing here. Add a body, or open a scene.</p>}
    </section>
  );
}

function AddMenu({ store, close }: { store: Store; close: () => void }): JSX.Element {
  const limits = store.welcome.value?.limits;
  const size = `up to ${Math.round((limits?.mesh_triangles ?? 0) / 1000)},000 triangles`;
  return (
    <>
      {FORMS.map(({ title, forms }) => (
        <section key={title}>
          <h3>{title}</h3>
          {forms.map(({ type, label, icon }) => (
            <MenuItem key={type} icon={icon} label={label} onClick={() => {
              addBody(store, type);
              close();
            }} />
          ))}
        </section>
      ))}
      <section>
        <h3>Triangle meshes, {size}</h3>
        <MenuItem icon="open" label="From a file (OBJ, STL, PLY)" onClick={() => {
          close();
          void pickFile(MESH_FILES).then((file) => {
            if (file) void addMesh(store, file);
          });
        }} />
        <MenuItem icon="mesh" label="Trefoil knot, an example" onClick={() => {
          close();
          void addMesh(store, trefoil());
        }} />
      </section>
    </>
  );
}

/** What keeps a body from being seen or moved; a press undoes it. */
function Marks({ store, body }: { store: Store; body: Body }): JSX.Element {
  return (
    <>
      {body.hidden && (
        <Button icon="hidden" label={`Show ${body.name}`} onClick={() => {
          store.changeBody(body.id, ({ hidden: _hidden, ...rest }) => rest, 'Show');
        }} />
      )}
      {body.locked && (
        <Button icon="locked" label={`Unlock ${body.name}`} onClick={() => {
          store.changeBody(body.id, ({ locked: _locked, ...rest }) => rest, 'Unlock');
        }} />
      )}
    </>
  );
}

/** Whether a body is convex, which decides whether distances to it can be proved; or how many pieces it has. */
function Badge({ body, facts }: { body: Body; facts: BodyFacts | undefined }): JSX.Element | null {
  if (!facts) return null;
  const { convex, volume, pieces } = facts;
  if (pieces !== null) {
    const { unit, about } = KINDS[body.type].pieces ?? { unit: 'pieces', about: '' };
    return <span class="badge soft" title={about}>{pieces.toLocaleString('en')} {unit}</span>;
  }
  const size = volume === null ? '' : `; ${short(volume)} m³`;
  if (convex) return <span class="badge" title={`Convex: distances to it are certified${size}`}>convex</span>;
  const word = KINDS[body.type].notConvex;
  return <span class="badge warn" title={`Not convex: distances hold for the true surface, without a certificate${size}`}>{word}</span>;
}

export function ShapePanel({ store, stage }: { store: Store; stage: View | null }): JSX.Element {
  const body = store.selected.value;
  if (!body) {
    return (
      <section class="panel shape empty" aria-label="Shape">
        <p class="hint">
          <Icon name="shape" />
          Choose a body to shape it. Hold one with a finger to slide through its exponents.
        </p>
      </section>
    );
  }
  const slider = (set: (old: Body, value: number) => Body) => ({
    onBegin: () => {
      store.begin('Shape');
    },
    onInput: (value: number) => {
      store.adjustBody(body.id, (old) => set(old, value));
    },
    onCommit: () => {
      store.commit();
    },
  });
  const { radii } = body;
  const lengths = sizes(body);
  return (
    <section class="panel shape" aria-label="Shape">
      <header>
        <input
          class="name"
          aria-label="Name"
          value={body.name}
          maxLength={60}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter') event.currentTarget.blur();
          }}
          onChange={(event) => {
            const name = event.currentTarget.value;
            store.changeBody(body.id, (old) => ({ ...old, name }));
          }}
        />
        {canJoin(body) && store.scene.value.bodies.length > 1 && (
          <Button icon="join" label="Join with the nearest body" onClick={() => {
            joinNearest(store, body.id);
          }} />
        )}
        <Button icon="copy" label="Duplicate" onClick={() => {
          duplicate(store, body.id);
        }} />
        <Button icon="trash" label="Remove" onClick={() => {
          removeBodies(store, [body.id]);
        }} />
      </header>
      {body.exponents && stage && <ParameterPad key={body.id} store={store} stage={stage} id={body.id} />}
      {radii && (
        <fieldset>
          <legend>Half sizes</legend>
          {([0, 1, 2] as const).map((axis) => (
            <Slider
              key={axis}
              label={['Width', 'Depth', 'Height'][axis] ?? ''}
              symbol={['a₁', 'a₂', 'a₃'][axis] ?? ''}
              value={radii[axis]}
              min={0.02}
              max={5}
              log
              unit="m"
              {...slider((old, value) => sound({ ...old, radii: replaced(old.radii ?? radii, axis, value) }))}
            />
          ))}
        </fieldset>
      )}
      {lengths.length > 0 && (
        <fieldset>
          <legend>{body.points ? 'Edges' : 'Half sizes'}</legend>
          {lengths.map((size, index) => (
            <Slider
              key={size.label}
              label={size.label}
              symbol={size.symbol}
              value={sizeOf(body, size)}
              min={size.least}
              max={size.least > 0 ? 5 : 2}
              log={size.least > 0}
              unit="m"
              {...slider((old, value) => resized(old, sizes(old)[index] ?? size, value))}
            />
          ))}
        </fieldset>
      )}
      {body.height !== undefined && (
        <fieldset>
          <legend>Height of the rims</legend>
          <Slider
            label="Rim"
            symbol="h"
            value={body.height}
            min={heightRange(body)[0]}
            max={heightRange(body)[1]}
            log
            unit="m"
            {...slider((old, height) => sound({ ...old, height }))}
          />
        </fieldset>
      )}
      {body.hole !== undefined && (
        <fieldset>
          <legend>Centre line, in tube radii</legend>
          <Slider label="Ring" symbol="R" value={body.hole} min={HOLES[0]} max={HOLES[1]} log {...slider((old, hole) => ({ ...old, hole }))} />
        </fieldset>
      )}
      {isUnbounded(body) && (
        <fieldset>
          <legend>Offset along its normal</legend>
          <Slider label="Offset" symbol="d" value={body.offset ?? 0} min={-5} max={5} unit="m" {...slider((old, offset) => ({ ...old, offset }))} />
        </fieldset>
      )}
      {body.points && <Vertices store={store} body={body} points={body.points} />}
      {body.parts && <Parts store={store} body={body} parts={body.parts} />}
      {body.file !== undefined && <p class="hint shape-note"><Icon name="mesh" /><span>{body.file}: the triangles of a file. Sizes are the file’s own, in metres.</span></p>}
      {radii && KINDS[body.type].tapers && (
        <fieldset>
          <legend>Taper</legend>
          {([0, 1] as const).map((axis) => (
            <Slider
              key={axis}
              label={['Sideways', 'Front'][axis] ?? ''}
              symbol={['tₓ', 'tᵧ'][axis] ?? ''}
              value={body.taper?.[axis] ?? 0}
              min={-0.95}
              max={0.95}
              {...slider((old, value) => tapered(old, replaced(old.taper ?? [0, 0], axis, Math.abs(value) < 0.01 ? 0 : value)))}
            />
          ))}
        </fieldset>
      )}
      <Place store={store} body={body} />
      <Look store={store} body={body} />
    </section>
  );
}

/** The corners of a point, segment, triangle or hull as numbers, in the body's own frame. */
function Vertices({ store, body, points }: { store: Store; body: Body; points: Vector[] }): JSX.Element {
  return (
    <fieldset>
      <legend>{points.length === 1 ? 'Point' : 'Corners'}</legend>
      <div class="place-grid">
        {points.slice(0, MOST_CORNERS).flatMap((point, index) =>
          ['x', 'y', 'z'].map((name, axis) => (
            <Numeric key={`${index} ${name}`} label={`Corner ${index + 1} ${name}`} value={point[axis] ?? 0} digits={3} unit={name} onChange={(value) => {
              store.changeBody(body.id, (old) => ({
                ...old,
                points: (old.points ?? points).map((corner, at) => (at === index ? replaced(corner, axis, value) : corner)),
              }));
            }} />
          )),
        )}
      </div>
      {points.length > MOST_CORNERS && <p class="hint">and {points.length - MOST_CORNERS} more</p>}
      {body.type === 'hull' && <Corners store={store} body={body} points={points} />}
    </fieldset>
  );
}

/** One corner more, or one less, where enough are left to span a volume. */
function Corners({ store, body, points }: { store: Store; body: Body; points: Vector[] }): JSX.Element {
  const most = store.welcome.value?.limits.hull_points ?? 0;
  const set = (changed: Vector[]) => {
    store.changeBody(body.id, (old) => ({ ...old, points: changed }), 'Corners');
  };
  return (
    <div class="look">
      {points.length < most && (
        <Button icon="plus" label="Add a corner" wordy onClick={() => {
          const top = Math.max(...points.map(([, , z]) => z));
          const bottom = Math.min(...points.map(([, , z]) => z));
          set([...points, [0, 0, top + 0.3 * (top - bottom)]]);
        }} />
      )}
      {points.length > 4 && (
        <Button icon="trash" label="Remove the last corner" wordy onClick={() => {
          set(points.slice(0, -1));
        }} />
      )}
    </div>
  );
}

/** What a compound is made of. */
function Parts({ store, body, parts }: { store: Store; body: Body; parts: Part[] }): JSX.Element {
  return (
    <fieldset>
      <legend>{parts.length} parts on one frame</legend>
      <ul class="part-list">
        {parts.slice(0, MOST_LISTED).map((part, index) => (
          <li key={index}>
            <Icon name={iconOf(part.type)} />
            <span>{part.type}</span>
            <span class="unit">{(part.radii ?? sizes(part).map((size) => sizeOf(part, size))).map((length) => short(length)).join(' × ')}</span>
          </li>
        ))}
        {parts.length > MOST_LISTED && <li class="hint">and {parts.length - MOST_LISTED} more</li>}
      </ul>
      <Button icon="apart" label="Take apart, to shape its parts" wordy onClick={() => {
        takeApart(store, body.id);
      }} />
    </fieldset>
  );
}

function replaced<List extends number[]>(list: List, index: number, value: number): List {
  return list.map((old, at) => (at === index ? value : old)) as List;
}

/** Colour, and whether it is seen and can be moved. */
function Look({ store, body }: { store: Store; body: Body }): JSX.Element {
  const index = store.scene.value.bodies.findIndex((other) => other.id === body.id);
  return (
    <fieldset>
      <legend>Look</legend>
      <div class="look">
        <input type="color" aria-label="Colour" value={body.colour ?? bodyColour(index)} onChange={(event) => {
          const colour = event.currentTarget.value;
          store.changeBody(body.id, (old) => ({ ...old, colour }), 'Colour');
        }} />
        <Button icon={body.hidden ? 'hidden' : 'shown'} label={body.hidden ? 'Show it' : 'Hide it'} onClick={() => {
          store.changeBody(body.id, ({ hidden, ...rest }) => (hidden ? rest : { ...rest, hidden: true }), 'Hide');
        }} />
        <Button icon={body.locked ? 'locked' : 'unlocked'} label={body.locked ? 'Unlock it' : 'Lock it'} onClick={() => {
          store.changeBody(body.id, ({ locked, ...rest }) => (locked ? rest : { ...rest, locked: true }), 'Lock');
        }} />
      </div>
    </fieldset>
  );
}

/** Position and angles as numbers. */
function Place({ store, body }: { store: Store; body: Body }): JSX.Element {
  const euler = new Euler().setFromQuaternion(new Quaternion(...body.orientation).normalize(), 'ZYX');
  const angles = [euler.x, euler.y, euler.z].map(MathUtils.radToDeg);
  const setAngle = (axis: number, degrees: number) => {
    const [x = 0, y = 0, z = 0] = replaced(angles, axis, degrees).map(MathUtils.degToRad);
    const { x: qx, y: qy, z: qz, w } = new Quaternion().setFromEuler(new Euler(x, y, z, 'ZYX'));
    store.changeBody(body.id, (old) => ({ ...old, orientation: [qx, qy, qz, w] }));
  };
  return (
    <fieldset>
      <legend>Place</legend>
      <div class="place-grid">
        {['x', 'y', 'z'].map((name, axis) => (
          <Numeric key={name} label={`Position ${name}`} value={body.position[axis] ?? 0} digits={3} unit={`${name} m`} onChange={(value) => {
            store.changeBody(body.id, (old) => ({ ...old, position: replaced(old.position, axis, value) }));
          }} />
        ))}
        {['x', 'y', 'z'].map((name, axis) => (
          <Numeric key={`turn ${name}`} label={`Angle ${name}`} value={angles[axis] ?? 0} digits={1} unit={`${name} °`} onChange={(value) => {
            setAngle(axis, value);
          }} />
        ))}
      </div>
    </fieldset>
  );
}
