// Documents that an address carries (`?share=`, see share.ts) or names (`?scene=`), opened now and whenever it has another.

import { effect } from '@preact/signals';

import { unpacked } from './share';

interface Opening<D> {
  /** Ready documents; null until they are known. Read reactively. */
  ready: () => D[] | null;
  /** The document in what an address carried; throws when it is damaged. */
  sound: (value: unknown) => D;
  open: (document: D) => void;
  damaged: () => void;
}

export function followAddress<D extends { name: string }>({ ready, sound, open, damaged }: Opening<D>): () => void {
  let known: D[] | null = null;
  const follow = () => {
    const wanted = new URLSearchParams(location.hash.split('?')[1] ?? '');
    const [shared, name] = [wanted.get('share'), wanted.get('scene')];
    if (!known || (shared === null && name === null)) return;
    history.replaceState(null, '', location.hash.split('?')[0]);
    if (shared !== null) {
      unpacked(shared).then((document) => {
        open(sound(document));
      }).catch(damaged);
      return;
    }
    const found = known.find((document) => document.name === name);
    if (found) open(found);
  };
  const stop = effect(() => {
    known = ready();
    if (known) queueMicrotask(follow);
  });
  window.addEventListener('hashchange', follow);
  return () => {
    stop();
    window.removeEventListener('hashchange', follow);
  };
}
