// Hitboxes: translucent, so that their bones are seen; red where they overlap one that is not their neighbour.

import { Group, Matrix4, Mesh, MeshStandardMaterial, Quaternion, Vector3, type Object3D } from 'three';

import { unitSuperovoid } from '../../shapes/superellipsoid';
import { bodyColour } from '../../stage/palette';
import type { Layer } from '../../stage/stage';
import type { Contact, Creature, Hitbox } from './messages';
import type { Chosen } from './store';

/** How much is seen through. */
const [FAINT, PLAIN, SOLID] = [0.34, 0.62, 0.94];
const DEEP = '#d8343c';

export type Look = 'faint' | 'plain' | 'solid';

export class HitboxesLayer implements Layer {
  readonly object = new Group();
  private readonly meshes = new Map<number, Mesh<ReturnType<typeof unitSuperovoid>, MeshStandardMaterial>>();
  private readonly known = new Map<number, Hitbox>();

  follow(creature: Creature, places: ReadonlyMap<number, Matrix4>, chosen: Chosen | null, contacts: Contact[], look: Look): void {
    const left = new Set(creature.hitboxes.map(({ id }) => id));
    for (const [id, mesh] of this.meshes) {
      if (left.has(id)) continue;
      this.object.remove(mesh);
      mesh.material.dispose();
      this.meshes.delete(id);
      this.known.delete(id);
    }
    const deep = new Set(contacts.filter(({ distance }) => distance < 0).flatMap(({ bones }) => bones));
    for (const hitbox of creature.hitboxes) {
      const mesh = this.mesh(hitbox);
      const place = places.get(hitbox.bone);
      if (this.known.get(hitbox.id) !== hitbox) {
        this.known.set(hitbox.id, hitbox);
        mesh.geometry = unitSuperovoid(hitbox.exponents, hitbox.taper);
        mesh.userData['rest'] = new Matrix4().compose(new Vector3(...hitbox.position), new Quaternion(...hitbox.orientation).normalize(), new Vector3(...hitbox.radii));
      }
      const rest = mesh.userData['rest'] as Matrix4;
      if (place) mesh.matrix.multiplyMatrices(place, rest);
      else mesh.matrix.copy(rest);
      mesh.matrixWorldNeedsUpdate = true;
      const isChosen = chosen?.kind === 'hitbox' && chosen.id === hitbox.id;
      mesh.material.color.set(deep.has(hitbox.bone) ? DEEP : isChosen ? '#f0a330' : bodyColour(hitbox.bone));
      const opacity = isChosen ? Math.max(PLAIN, look === 'solid' ? SOLID : 0) : look === 'faint' ? FAINT : look === 'solid' ? SOLID : PLAIN;
      mesh.material.opacity = opacity;
      mesh.castShadow = look === 'solid';
    }
    this.object.updateMatrixWorld(true);
  }

  targets(): Object3D[] {
    return [...this.meshes.values()];
  }

  dispose(): void {
    for (const { material } of this.meshes.values()) material.dispose();
  }

  private mesh({ id, bone }: Hitbox): Mesh<ReturnType<typeof unitSuperovoid>, MeshStandardMaterial> {
    const found = this.meshes.get(id);
    if (found) {
      found.userData['bone'] = bone;
      return found;
    }
    const made = new Mesh(unitSuperovoid([1, 1], [0, 0]), new MeshStandardMaterial({ transparent: true, roughness: 0.5 }));
    made.matrixAutoUpdate = false;
    made.userData = { hitbox: id, bone };
    made.renderOrder = 1;
    this.meshes.set(id, made);
    this.object.add(made);
    return made;
  }
}
