// The exponent widget of a body under the cloth.

import type { JSX } from 'preact';
import { Quaternion, Vector3 } from 'three';

import { ExponentPad } from '../../widgets/ExponentPad';
import type { Store } from './store';
import type { View } from './view';

const UP = new Vector3(0, 0, 1);

export function HillPad({ store, view, id }: { store: Store; view: View; id: number }): JSX.Element {
  return (
    <ExponentPad
      key={id}
      view={view}
      shape={() => {
        const hill = store.document.value.value.hills.find((other) => other.id === id);
        return hill ? { radii: hill.radii, exponents: hill.exponents, orientation: new Quaternion().setFromAxisAngle(UP, hill.turn) } : null;
      }}
      onBegin={() => {
        store.begin('Shape');
      }}
      onInput={(exponents) => {
        store.adjustHill(id, (old) => ({ ...old, exponents }));
      }}
      onCommit={() => {
        store.commit();
      }}
      onCancel={() => {
        store.cancel();
      }}
    />
  );
}
