// The menus, the panel of what is chosen and of the cloth, and the bar below.

import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import { shownKeys, type Action } from '../../input/actions';
import { Button, Choice, Menu, MenuItem, Slider } from '../../ui/controls';
import { ExponentPad } from './ExponentPad';
import type { FabricSettings, Settings } from './messages';
import type { Store } from './store';
import type { View } from './view';

export function GalleryMenu({ store }: { store: Store }): JSX.Element {
  const kept = store.shelf.all();
  return (
    <Menu icon="scenes" label={store.document.value.value.name} wordy>
      {(close) => (
        <>
          <h3>Landscapes</h3>
          {store.link.facts.value?.gallery.map((landscape) => (
            <button key={landscape.name} type="button" role="menuitem" class="scene-item" onClick={() => {
              store.open(landscape);
              close();
            }}>
              <b>{landscape.name}</b>
              <span>{landscape.about}</span>
            </button>
          ))}
          <button type="button" role="menuitem" class="scene-item" onClick={() => {
            store.open({ ...store.landscape, name: 'Untitled', hills: [], settings: { ...store.landscape.settings, pins: [] } });
            close();
          }}>
            <b>Empty table</b>
            <span>A blanket, and nothing under it yet.</span>
          </button>
          {kept.length > 0 && <h3>Kept in this browser</h3>}
          {kept.map((landscape) => (
            <div key={landscape.name} class="shelf-item">
              <button type="button" role="menuitem" class="scene-item" onClick={() => {
                store.open(landscape);
                close();
              }}>
                <b>{landscape.name}</b>
                <span>{landscape.hills.length} bodies</span>
              </button>
              <Button icon="trash" label={`Forget ${landscape.name}`} onClick={() => {
                store.shelf.remove(landscape.name);
                close();
              }} />
            </div>
          ))}
        </>
      )}
    </Menu>
  );
}

export function FileMenu({ store, actions }: { store: Store; actions: Action[] }): JSX.Element {
  return (
    <Menu icon="save" label="File" align="right">
      {(close) => (
        <>
          <input class="name" aria-label="Name of the landscape" value={store.document.value.value.name} maxLength={60} onKeyDown={(event) => {
            event.stopPropagation();
          }} onChange={(event) => {
            const name = event.currentTarget.value || 'Untitled';
            store.change('Rename', (landscape) => ({ ...landscape, name }));
          }} />
          {actions.filter(({ menus }) => menus?.includes('file')).map(({ id, icon, label, keys, run }) => (
            <MenuItem key={id} icon={icon ?? 'check'} label={label} {...(keys?.[0] ? { hint: shownKeys(keys[0]) } : {})} onClick={() => {
              close();
              run?.();
            }} />
          ))}
        </>
      )}
    </Menu>
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
          <ExponentPad store={store} view={view} id={hill.id} />
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

export function Notice({ store }: { store: Store }): JSX.Element | null {
  const notice = store.notice.value;
  useEffect(() => {
    if (!notice) return undefined;
    const timer = window.setTimeout(() => {
      store.notice.value = null;
    }, notice.kind === 'error' ? 8000 : 2500);
    return () => {
      window.clearTimeout(timer);
    };
  }, [notice]);
  return notice && <div class={`notice ${notice.kind}`} role="status">{notice.text}</div>;
}
