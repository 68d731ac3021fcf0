// The menus, the panel of what is chosen and of the cloth, and the bar below.

import type { JSX } from 'preact';

import type { Action } from '../../input/actions';
import { Button, Choice, Slider } from '../../ui/controls';
import { GalleryMenu, MenuEntry } from '../../widgets/menus';
import { HillPad } from './HillPad';
import type { FabricSettings, Settings } from './messages';
import type { Store, Stored } from './store';
import type { View } from './view';

export function LandscapeMenu({ store }: { store: Store }): JSX.Element {
  const ready = store.link.facts.value?.gallery ?? [];
  return (
    <GalleryMenu<Stored> title="Landscapes" name={store.document.value.value.name} ready={ready} shelf={store.shelf} about={({ hills }) => `${hills.length} bodies`} onOpen={(landscape) => {
      store.open(landscape);
    }}>
      {(close) => (
        <MenuEntry name="Empty table" about="A blanket, and nothing under it yet." onClick={() => {
          store.open({ ...store.landscape, name: 'Untitled', hills: [], settings: { ...store.landscape.settings, pins: [] } });
          close();
        }} />
      )}
    </GalleryMenu>
  );
}

interface Part {
  label: string;
  min: number;
  max: number;
  unit?: string;
  digits?: number;
  read: (settings: Settings) => number;
  write: (settings: Settings, value: number) => Settings;
}

/** The sliders of the cloth. */
function clothParts(store: Store): Part[] {
  const facts = store.link.facts.value;
  if (!facts) return [];
  const fabric = (name: keyof FabricSettings, scale = 1): Pick<Part, 'read' | 'write'> => ({
    read: (settings) => scale * settings.fabric[name],
    write: (settings, value) => ({ ...settings, fabric: { ...settings.fabric, [name]: value / scale } }),
  });
  return [
    { label: 'Stiffness', min: 0, max: 1, digits: 2, ...fabric('stiffness') },
    { label: 'Friction', min: facts.friction[0], max: facts.friction[1], digits: 2, ...fabric('friction') },
    { label: 'Thickness', min: 1000 * facts.thickness[0], max: 1000 * facts.thickness[1], unit: 'mm', digits: 1, ...fabric('thickness', 1000) },
    { label: 'Detail', min: facts.sides[0], max: facts.sides[1], unit: '²', digits: 0, read: ({ side }) => side, write: (settings, value) => ({ ...settings, side: Math.round(value) }) },
    { label: 'Wind', min: 0, max: facts.wind, unit: 'm/s', digits: 1, read: ({ wind }) => wind.speed, write: (settings, value) => ({ ...settings, wind: { ...settings.wind, speed: value } }) },
    { label: 'From', min: 0, max: 360, unit: '°', digits: 0, read: ({ wind }) => (wind.direction * 180) / Math.PI, write: (settings, value) => ({ ...settings, wind: { ...settings.wind, direction: (value * Math.PI) / 180 } }) },
  ];
}

export function Panel({ store, view, actions }: { store: Store; view: View | null; actions: Action[] }): JSX.Element {
  const { hills, settings } = store.document.value.value;
  const hill = hills.find(({ id }) => id === store.chosen.value.at(-1));
  const commit = () => {
    store.commit();
  };
  return (
    <section class="panel terrain-panel" aria-label="Cloth and body">
      {hill && view && (
        <fieldset class="terrain-shape">
          <legend>{store.chosen.value.length > 1 ? `${store.chosen.value.length} bodies` : 'Body'}</legend>
          <HillPad store={store} view={view} id={hill.id} />
          <Slider label="Stands" value={hill.lift} min={0} max={1} digits={2} onBegin={() => {
            store.begin('Lift');
          }} onInput={(lift) => {
            store.adjustHill(hill.id, (old) => ({ ...old, lift }));
          }} onCommit={commit} />
        </fieldset>
      )}
      <fieldset>
        <legend>Cloth</legend>
        {clothParts(store).map(({ label, min, max, unit, digits, read, write }) => (
          <Slider key={label} label={label} value={read(settings)} min={min} max={max} digits={digits ?? 2} {...(unit ? { unit } : {})} onBegin={() => {
            store.begin(label);
          }} onInput={(value) => {
            store.adjust((landscape) => ({ ...landscape, settings: write(landscape.settings, value) }));
          }} onCommit={commit} />
        ))}
        <div class="terrain-row">
          {actions.filter(({ menus }) => menus?.includes('cloth')).map(({ id, icon, label, checked, run }) => (
            <Button key={id} icon={icon ?? 'check'} label={label} wordy text={label.split(' ')[0] ?? label} {...(checked ? { pressed: checked() } : {})} onClick={() => run?.()} />
          ))}
        </div>
      </fieldset>
    </section>
  );
}

/** What is done most, below the thumb. */
export function Bar({ store, actions, panel, onPanel }: { store: Store; actions: Action[]; panel: boolean; onPanel: () => void }): JSX.Element {
  const run = (id: string) => () => actions.find((action) => action.id === id)?.run?.();
  const chosen = store.chosen.value.length > 0;
  return (
    <div class="terrain-bar">
      <Button icon="plus" label="New body" wordy text="Hill" primary onClick={run('make')} />
      {chosen && <Button icon="copy" label="Duplicate" onClick={run('duplicate')} />}
      {(chosen || store.pin.value !== null) && <Button icon="trash" label={chosen ? 'Remove' : 'Take the clothespin off'} onClick={run('remove')} />}
      <Choice label="Look" value={store.look.value} options={[{ value: 'cloth', label: 'Cloth', icon: 'cloth' }, { value: 'terrain', label: 'Terrain', icon: 'mountains' }]} onChange={(look) => {
        store.look.value = look;
      }} />
      <Button icon="walk" label="Walk on it" wordy text="Walk" onClick={run('walk')} />
      <Button icon="sliders" label="Cloth and shape" pressed={panel} onClick={onPanel} />
    </div>
  );
}
