// A document that can be undone. Documents are immutable; every change goes through `change` or, during a gesture, through
// `adjust` between `begin` and `commit`.

import { signal } from '@preact/signals';

import type { Body, Scene } from '../protocol/messages';
import { History } from './history';

export const EMPTY: Scene = { name: 'Untitled', bodies: [], solver: { method: 'default', tolerance: 1e-9 }, duration: 4 };

export abstract class Document {
  readonly scene = signal<Scene>(EMPTY);
  readonly canUndo = signal(false);
  readonly canRedo = signal(false);

  private readonly history = new History<Scene>();
  private before: Scene | null = null;

  /** Called after every step that can be undone or was. */
  protected abstract changed(): void;

  /** Changes the document in one step that can be undone. */
  change(how: (scene: Scene) => Scene): void {
    this.begin();
    this.adjust(how);
    this.commit();
  }

  changeBody(id: number, how: (body: Body) => Body): void {
    this.change((scene) => replaceBody(scene, id, how));
  }

  /** Starts a gesture: everything until `commit` is undone at once. */
  begin(): void {
    this.before ??= this.scene.peek();
  }

  adjust(how: (scene: Scene) => Scene): void {
    this.scene.value = how(this.scene.peek());
  }

  adjustBody(id: number, how: (body: Body) => Body): void {
    this.adjust((scene) => replaceBody(scene, id, how));
  }

  commit(): void {
    const before = this.before;
    this.before = null;
    if (before && before !== this.scene.peek()) {
      this.history.push(before);
      this.noteHistory();
    }
  }

  undo(): void {
    this.restore(this.history.undo(this.scene.peek()));
  }

  redo(): void {
    this.restore(this.history.redo(this.scene.peek()));
  }

  private restore(scene: Scene | null): void {
    if (!scene) return;
    this.before = null;
    this.scene.value = scene;
    this.noteHistory();
  }

  private noteHistory(): void {
    this.canUndo.value = this.history.canUndo;
    this.canRedo.value = this.history.canRedo;
    this.changed();
  }
}

export function replaceBody(scene: Scene, id: number, how: (body: Body) => Body): Scene {
  return { ...scene, bodies: scene.bodies.map((body) => (body.id === id ? how(body) : body)) };
}
