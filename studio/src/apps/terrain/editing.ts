// What is done to bodies as a whole: made, duplicated, copied, removed.

import type { Hill } from './messages';
import type { Store } from './store';

/** Sizes and shapes of new bodies, in turn: no two that follow each other are the same. */
const FRESH: Pick<Hill, 'radii' | 'exponents'>[] = [
  { radii: [0.2, 0.2, 0.36], exponents: [1, 1.2] },
  { radii: [0.24, 0.18, 0.26], exponents: [1, 1] },
  { radii: [0.17, 0.17, 0.46], exponents: [1, 1.5] },
  { radii: [0.22, 0.2, 0.28], exponents: [0.4, 0.35] },
];

function hasRoom(store: Store, more: number): boolean {
  const most = store.link.facts.peek()?.most_hills ?? 0;
  if (store.landscape.hills.length + more <= most) return true;
  store.say(`There is room for ${most} bodies.`, 'error');
  return false;
}

/** A body that rises from below the table. */
export function makeHill(store: Store, position: [number, number]): void {
  if (!hasRoom(store, 1)) return;
  const id = store.freshId();
  const fresh = FRESH[store.landscape.hills.length % FRESH.length] ?? FRESH[0];
  if (!fresh) return;
  const hill = store.within({ id, position, ...fresh, turn: 0.7 * id, lift: 0 });
  store.change('Make', (landscape) => ({ ...landscape, hills: [...landscape.hills, hill] }));
  store.choose([id]);
}

/** Copies of bodies, a little aside. */
export function addCopies(store: Store, hills: Hill[], label: string): void {
  if (hills.length === 0 || !hasRoom(store, hills.length)) return;
  const first = store.freshId();
  const copies = hills.map((hill, index) => store.within({ ...hill, id: first + index, position: [hill.position[0] + 0.18, hill.position[1] - 0.18] }));
  store.change(label, (landscape) => ({ ...landscape, hills: [...landscape.hills, ...copies] }));
  store.choose(copies.map(({ id }) => id));
}

export function chosenHills(store: Store): Hill[] {
  return store.landscape.hills.filter(({ id }) => store.chosen.peek().includes(id));
}

/** Takes away the chosen bodies, or the chosen clothespin. */
export function removeChosen(store: Store): void {
  const [ids, pin] = [store.chosen.peek(), store.pin.peek()];
  if (ids.length > 0) store.change('Remove', (landscape) => ({ ...landscape, hills: landscape.hills.filter(({ id }) => !ids.includes(id)) }));
  else if (pin !== null) store.changeSettings('Take off', (settings) => ({ ...settings, pins: settings.pins.filter(({ id }) => id !== pin) }));
  store.choose([]);
}

export function changeChosen(store: Store, label: string, how: (hill: Hill) => Hill): void {
  const ids = store.chosen.peek();
  store.change(label, (landscape) => ({ ...landscape, hills: landscape.hills.map((hill) => (ids.includes(hill.id) ? store.within(how(hill)) : hill)) }));
}
