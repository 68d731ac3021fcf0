// The contact in numbers: distance, its proof, what it cost, and by which method.

import './Readout.css';

import { signal } from '@preact/signals';
import type { JSX } from 'preact';

import { bodyColour } from '../../stage/palette';
import { duration, metres, readable, short } from '../../ui/format';
import { Icon } from '../../ui/icons';
import type { Answer, Contact } from './messages';
import type { Store } from './store';

const STATUS: Record<Answer['status'], string> = {
  separated: 'Apart',
  touching: 'Touching',
  penetrating: 'Overlapping',
  not_converged: 'Not converged',
};

/** Nine decimals instead of a readable number. */
const exact = signal(false);

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
        <button type="button" class="distance-toggle" aria-pressed={exact.value} title={exact.value ? 'Fewer decimals' : 'Nine decimals'} onClick={() => {
          exact.value = !exact.peek();
        }}>
          {answer ? (exact.value ? metres(answer.distance) : readable(answer.distance).number) : '–'}
          <span class="unit">{answer && !exact.value ? readable(answer.distance).unit : 'm'}</span>
        </button>
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
