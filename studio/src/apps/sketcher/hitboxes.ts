// Hitboxes: translucent, so that their bones are seen; red where they overlap one that is not their neighbour.

import { Group, Matrix4, Mesh, MeshStandardMaterial, Quaternion, Vector3, type Object3D } from 'three';

import { unitSuperovoid } from '../../shapes/superellipsoid';
import { bodyColour } from '../../stage/palette';
import type { Layer } from '../../stage/stage';
import type { Contact, Creature, Hitbox } from './messages';
import type { Chosen } from './store';

/** How much is seen through. */
const [FAINT, PLAIN, SOLID] = [0.34, 0.62, 0.94];
const [DEEP, CHOSEN] = ['#d8343c', '#f0a330'];

export type Look = 'faint' | 'plain' | 'solid';

type Drawn = Mesh<ReturnType<typeof unitSuperovoid>, MeshStandardMaterial>;

/** A hitbox as it was shown last: only what is other now is touched. */
interface Shown {
  mesh: Drawn;
  hitbox: Hitbox | null;
  place: Matrix4 | undefined;
  rest: Matrix4;
}

export class HitboxesLayer implements Layer {
  readonly object = new Group();
  private readonly shown = new Map<number, Shown>();
  /** By colour and opacity: hitboxes that look alike share one. */
  private readonly materials = new Map<string, MeshStandardMaterial>();

  follow(creature: Creature, places: ReadonlyMap<number, Matrix4>, chosen: Chosen | null, contacts: Contact[], look: Look): void {
    const left = new Set(creature.hitboxes.map(({ id }) => id));
    for (const [id, { mesh }] of this.shown) {
      if (left.has(id)) continue;
      this.object.remove(mesh);
      this.shown.delete(id);
    }
    const deep = new Set<number>();
    for (const { distance, bones } of contacts) if (distance < 0) bones.forEach((bone) => deep.add(bone));
    for (const hitbox of creature.hitboxes) {
      const known = this.shown.get(hitbox.id) ?? this.made(hitbox.id);
      const { mesh } = known;
      const place = places.get(hitbox.bone);
      if (known.hitbox !== hitbox || known.place !== place) this.place(known, hitbox, place);
      const isChosen = chosen?.kind === 'hitbox' && chosen.id === hitbox.id;
      const colour = deep.has(hitbox.bone) ? DEEP : isChosen ? CHOSEN : bodyColour(hitbox.bone);
      mesh.material = this.material(colour, look === 'solid' ? SOLID : look === 'faint' && !isChosen ? FAINT : PLAIN);
      mesh.castShadow = look === 'solid';
    }
  }

  private place(known: Shown, hitbox: Hitbox, place: Matrix4 | undefined): void {
    const { mesh, rest } = known;
    if (known.hitbox !== hitbox) {
      mesh.geometry = unitSuperovoid(hitbox.exponents, hitbox.taper);
      mesh.userData['bone'] = hitbox.bone;
      rest.compose(new Vector3(...hitbox.position), new Quaternion(...hitbox.orientation).normalize(), new Vector3(...hitbox.radii));
    }
    [known.hitbox, known.place] = [hitbox, place];
    if (place) mesh.matrix.multiplyMatrices(place, rest);
    else mesh.matrix.copy(rest);
    // Nothing is above them that moves: rays meet them where they are before the next picture.
    mesh.matrixWorld.copy(mesh.matrix);
  }

  targets(): Object3D[] {
    return this.object.children;
  }

  dispose(): void {
    for (const material of this.materials.values()) material.dispose();
  }

  private material(color: string, opacity: number): MeshStandardMaterial {
    const key = `${color} ${opacity}`;
    const found = this.materials.get(key);
    if (found) return found;
    const made = new MeshStandardMaterial({ color, opacity, transparent: true, roughness: 0.5 });
    this.materials.set(key, made);
    return made;
  }

  private made(id: number): Shown {
    const mesh: Drawn = new Mesh(unitSuperovoid([1, 1], [0, 0]), this.material(CHOSEN, PLAIN));
    mesh.matrixAutoUpdate = false;
    mesh.matrixWorldAutoUpdate = false;
    mesh.userData = { hitbox: id };
    mesh.renderOrder = 1;
    this.object.add(mesh);
    const shown: Shown = { mesh, hitbox: null, place: undefined, rest: new Matrix4() };
    this.shown.set(id, shown);
    return shown;
  }
}
