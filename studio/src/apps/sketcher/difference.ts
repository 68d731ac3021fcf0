// The edits that turn one creature into another.

import type { Creature, Edit } from './messages';

/** Whether both have the same joints and bones between them, wherever these are. */
function isAlike(a: Creature, b: Creature): boolean {
  const same = <T extends { id: number }>(one: T[], other: T[], equal: (x: T, y: T) => boolean) =>
    one.length === other.length && one.every((item, k) => other[k] !== undefined && item.id === other[k].id && equal(item, other[k]));
  return same(a.joints, b.joints, () => true) && same(a.bones, b.bones, (x, y) => x.from === y.from && x.to === y.to);
}

/** Creatures are immutable: what is the same object has not changed. */
export function difference(from: Creature | null, to: Creature): Edit[] {
  if (from === to) return [];
  if (from === null || !isAlike(from, to) || from.about !== to.about) return [{ open: { creature: to } }];
  const changed = <T extends { id: number }>(before: T[], after: T[]) => {
    if (before === after) return [];
    const known = new Map(before.map((item) => [item.id, item]));
    return after.filter((item) => known.get(item.id) !== item);
  };
  const left = new Set(to.hitboxes.map(({ id }) => id));
  return [{
    change: {
      joints: changed(from.joints, to.joints),
      bones: changed(from.bones, to.bones),
      hitboxes: changed(from.hitboxes, to.hitboxes),
      removed: from.hitboxes.map(({ id }) => id).filter((id) => !left.has(id)),
      ...(from.name === to.name ? {} : { name: to.name }),
      ...(from.meshes === to.meshes ? {} : { meshes: to.meshes ?? [] }),
      ...(from.stance === to.stance ? {} : { stance: to.stance }),
      ...(from.keys === to.keys ? {} : { keys: to.keys }),
      ...(from.mirror === to.mirror ? {} : { mirror: to.mirror }),
    },
  }];
}
