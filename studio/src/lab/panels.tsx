// The panels of Contact Lab: bodies, shape, contact.

import type { JSX } from 'preact';
import { Euler, MathUtils, Quaternion } from 'three';

import type { Answer, Body, Contact, ShapeType } from '../protocol/messages';
import { Button, Menu, MenuItem, Numeric, Slider } from '../ui/controls';
import { duration, metres, short } from '../ui/format';
import { Icon } from '../ui/icons';
import { tapered } from '../view/handles';
import { bodyColour } from '../view/palette';
import type { Stage } from '../view/stage';
import { ParameterPad } from './ParameterPad';
import type { Store } from './store';

const SHAPES: { type: ShapeType; label: string }[] = [
  { type: 'superellipsoid', label: 'Superellipsoid' },
  { type: 'superovoid', label: 'Superovoid' },
  { type: 'plane', label: 'Plane' },
  { type: 'point', label: 'Point' },
  { type: 'segment', label: 'Segment' },
  { type: 'triangle', label: 'Triangle' },
];

export function Bodies({ store }: { store: Store }): JSX.Element {
  const { bodies } = store.scene.value;
  const facts = new Map((store.contacts.value?.bodies ?? []).map((fact) => [fact.id, fact]));
  return (
    <section class="panel bodies" aria-label="Bodies">
      <header>
        <h2>Bodies</h2>
        <Menu icon="plus" label="Add a body" align="right">
          {(close) =>
            SHAPES.map(({ type, label }) => (
              <MenuItem key={type} icon="shape" label={label} onClick={() => {
                store.add(type);
                close();
              }} />
            ))
          }
        </Menu>
      </header>
      <ul class="body-list">
        {bodies.map((body, index) => (
          <li key={body.id}>
            <button
              type="button"
              class="body-row"
              aria-pressed={store.selection.value === body.id}
              onClick={() => {
                store.selection.value = store.selection.peek() === body.id ? null : body.id;
              }}
            >
              <i class="swatch" style={{ background: body.type === 'plane' ? 'var(--line)' : bodyColour(index) }} />
              <span class="body-name">{body.name}</span>
              <Badge convex={facts.get(body.id)?.convex} volume={facts.get(body.id)?.volume ?? null} />
            </button>
          </li>
        ))}
      </ul>
      {bodies.length === 0 && <p class="hint">Nothing here. Add a body, or open a scene.</p>}
    </section>
  );
}

/** Whether a body is convex, which decides whether distances to it can be proved. */
function Badge({ convex, volume }: { convex: boolean | undefined; volume: number | null }): JSX.Element | null {
  if (convex === undefined) return null;
  const size = volume === null ? '' : `; ${short(volume)} m³`;
  return convex ? (
    <span class="badge" title={`Convex: distances to it are certified${size}`}>convex</span>
  ) : (
    <span class="badge warn" title={`Not convex: distances hold for the true surface, without a certificate${size}`}>dented</span>
  );
}

export function ShapePanel({ store, stage }: { store: Store; stage: Stage | null }): JSX.Element {
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
      store.begin();
    },
    onInput: (value: number) => {
      store.adjustBody(body.id, (old) => set(old, value));
    },
    onCommit: () => {
      store.commit();
    },
  });
  const { radii } = body;
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
        <Button icon="copy" label="Duplicate" onClick={() => {
          store.duplicate(body.id);
        }} />
        <Button icon="trash" label="Remove" onClick={() => {
          store.remove(body.id);
        }} />
      </header>
      {body.exponents && stage && <ParameterPad key={body.id} store={store} stage={stage} id={body.id} />}
      {radii && (
        <fieldset>
          <legend>Radii</legend>
          {([0, 1, 2] as const).map((axis) => (
            <Slider
              key={axis}
              label={['a₁', 'a₂', 'a₃'][axis] ?? ''}
              value={radii[axis]}
              min={0.02}
              max={5}
              log
              unit="m"
              {...slider((old, value) => ({ ...old, radii: replaced(old.radii ?? radii, axis, value) }))}
            />
          ))}
        </fieldset>
      )}
      {radii && (
        <fieldset>
          <legend>Taper</legend>
          {([0, 1] as const).map((axis) => (
            <Slider
              key={axis}
              label={['tₓ', 'tᵧ'][axis] ?? ''}
              value={body.taper?.[axis] ?? 0}
              min={-0.95}
              max={0.95}
              {...slider((old, value) => tapered(old, replaced(old.taper ?? [0, 0], axis, Math.abs(value) < 0.01 ? 0 : value)))}
            />
          ))}
        </fieldset>
      )}
      <Place store={store} body={body} />
    </section>
  );
}

function replaced<List extends number[]>(list: List, index: number, value: number): List {
  return list.map((old, at) => (at === index ? value : old)) as List;
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

const STATUS: Record<Answer['status'], string> = {
  separated: 'Apart',
  touching: 'Touching',
  penetrating: 'Overlapping',
  not_converged: 'Not converged',
};

export function Readout({ store }: { store: Store }): JSX.Element {
  const contact = store.contact.value;
  const answer = contact?.answer ?? null;
  const welcome = store.welcome.value;
  const { solver } = store.scene.value;
  const method = welcome?.methods.find((other) => other.name === solver.method);
  return (
    <section class="readout" aria-label="Contact" aria-live="polite" data-status={answer?.status ?? 'none'}>
      <div class="readout-pair">
        <PairChoice store={store} contact={contact} />
        {answer && <span class={`status ${answer.status}`}>{STATUS[answer.status]}</span>}
      </div>
      <output class="distance" data-testid="distance">
        {answer ? metres(answer.distance) : '–'}
        <span class="unit">m</span>
      </output>
      <Proof answer={answer} refusal={contact?.refusal ?? null} />
      <dl class="costs">
        <div>
          <dt>time</dt>
          <dd>{answer ? duration(answer.nanoseconds) : '–'}</dd>
        </div>
        <div>
          <dt>{solver.method === 'default' ? 'evaluations' : 'iterations'}</dt>
          <dd>{answer ? answer.iterations : '–'}</dd>
        </div>
        <div class="method">
          <dt>method</dt>
          <dd>
            <select
              aria-label="Method"
              title={method?.about ?? ''}
              value={solver.method}
              onChange={(event) => {
                const chosen = welcome?.methods.find((other) => other.name === event.currentTarget.value);
                if (!chosen) return;
                // Each method starts with the tolerance it is meant for.
                store.change((scene) => ({ ...scene, solver: { method: chosen.name, tolerance: chosen.tolerance } }));
              }}
            >
              {welcome?.methods.map((other) => (
                <option key={other.name} value={other.name}>
                  {other.title}
                </option>
              ))}
            </select>
          </dd>
        </div>
        <div>
          <dt>tolerance</dt>
          <dd>
            <select
              aria-label="Tolerance"
              value={String(solver.tolerance)}
              onChange={(event) => {
                const tolerance = Number(event.currentTarget.value);
                store.change((scene) => ({ ...scene, solver: { ...scene.solver, tolerance } }));
              }}
            >
              {[...new Set([1e-3, 1e-6, 1e-9, 1e-12, solver.tolerance])].map((tolerance) => (
                <option key={tolerance} value={String(tolerance)}>
                  {short(tolerance)}
                </option>
              ))}
            </select>
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** The bounds that prove the distance, or why there are none. */
function Proof({ answer, refusal }: { answer: Answer | null; refusal: string | null }): JSX.Element {
  if (!answer) return <p class="proof none">{refusal ?? 'Two bodies are needed.'}</p>;
  const { lower, upper } = answer;
  if (lower === null || upper === null) return <p class="proof none">no certificate for this pair and method</p>;
  if (answer.status === 'penetrating') {
    return (
      <p class="proof">
        <Icon name="shield" />
        certified: a shift of {short(-lower)} m separates them
      </p>
    );
  }
  return (
    <p class="proof" title={`${lower} … ${upper}`}>
      <Icon name="shield" />
      certified within {short(Math.max(upper - lower, 0))} m
    </p>
  );
}

function PairChoice({ store, contact }: { store: Store; contact: Contact | null }): JSX.Element {
  const { bodies } = store.scene.value;
  const pairs = store.contacts.value?.pairs ?? [];
  const name = (id: number) => bodies.find((body) => body.id === id)?.name ?? '?';
  const dot = (id: number) => (
    <i class="swatch" style={{ background: bodyColour(bodies.findIndex((body) => body.id === id)) }} />
  );
  if (!contact) return <span class="pair">No pair</span>;
  if (pairs.length < 2) {
    return (
      <span class="pair">
        {dot(contact.a)}
        {name(contact.a)}
        <span class="pair-to">to</span>
        {dot(contact.b)}
        {name(contact.b)}
      </span>
    );
  }
  return (
    <select
      class="pair"
      aria-label="Pair"
      value={store.focus.value ? `${contact.a} ${contact.b}` : ''}
      onChange={(event) => {
        const [a, b] = event.currentTarget.value.split(' ').map(Number);
        store.focus.value = a !== undefined && b !== undefined ? [a, b] : null;
        store.refreshPlot();
        store.refreshTrace();
      }}
    >
      <option value="">
        closest: {name(contact.a)} to {name(contact.b)}
      </option>
      {pairs.map((pair) => (
        <option key={`${pair.a} ${pair.b}`} value={`${pair.a} ${pair.b}`}>
          {name(pair.a)} to {name(pair.b)}
        </option>
      ))}
    </select>
  );
}
