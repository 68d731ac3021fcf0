// What hands do on Multibody Sketcher's stage.
//
// In a straight view one finger draws: bones in Skeleton, ellipses in Hitbox, lines of action in Pose. Taps choose and split; a joint that is
// held still is dragged, a hitbox that is held still opens the exponent widget. Two fingers move, turn and scale the chosen hitbox, or the
// view. The right button, or a drag in the free view, moves the view.

import { Quaternion, Vector3 } from 'three';

import { fingerChange, onPlane, turned, twoFingers } from '../../input/drag';
import type { Drag, Point, Press, Sample, Tool } from '../../input/pointers';
import { dragHandle } from '../../widgets/handles';
import { padSize } from '../../widgets/HeldPad';
import type { Hitbox } from './messages';
import { asBody, bonesAt, fromBody, placeOf, withJoint } from './skeleton';
import type { Store } from './store';
import type { View } from './view';

const [PULL, TWIST] = [0, 1];
/** Radians of a twist for a pixel of a mouse. */
const BY_MOUSE = 0.02;

/** The exponent widget under a finger: where it opened, and for which hitbox. */
export interface Held extends Point {
  id: number;
}

export function sketcherTools(view: View, store: Store, around: { hold: (held: Held | null) => void }): Tool[] {
  const tools = new Tools(view, store, around.hold);
  return [{ press: tools.onView }, { press: tools.onHandle }, { press: tools.onCreature }, { press: tools.onPaper }];
}

class Tools {
  constructor(private readonly view: View, private readonly store: Store, private readonly hold: (held: Held | null) => void) {}

  readonly onView = (press: Press): Drag | null => {
    this.view.enter(press.x, press.y);
    return press.secondary || press.alt ? this.turning(press.shift) : null;
  };

  readonly onHandle = (press: Press): Drag | null => {
    const handle = this.view.handleAt(press);
    const { value } = this.store.chosen;
    const start = value?.kind === 'hitbox' ? this.store.hitbox(value.id) : undefined;
    if (!handle || !start) return null;
    this.store.document.begin(handle.kind === 'taper' ? 'Taper' : handle.kind === 'radius' ? 'Size' : 'Move');
    const from = this.view.ray(press.x, press.y);
    return this.gesture((sample) => {
      const dragged = dragHandle(asBody(start), handle, from, this.view.ray(sample.x, sample.y), this.view.viewDirection());
      this.store.adjustHitbox(start.id, () => fromBody(start, dragged));
    });
  };

  readonly onCreature = (press: Press): Drag | null => {
    switch (this.store.mode.peek()) {
      case 'joint':
        return this.choosing(press);
      case 'pose':
        return this.store.lining.peek() ? null : this.posing(press);
      case 'physics':
        return this.pulling(press);
      default:
        return null;
    }
  };

  /** A stroke where one can draw, and the view elsewhere. */
  readonly onPaper = (press: Press): Drag => {
    const mode = this.store.mode.peek();
    const draws = mode === 'skeleton' || mode === 'hitbox' || (mode === 'pose' && this.store.lining.peek());
    if (!draws || !this.view.isStraight()) return this.looking(press);
    return this.drawing(press);
  };

  // Drawing

  private drawing(press: Press): Drag {
    const mode = this.store.mode.peek();
    const erasing = mode === 'skeleton' && this.store.erasing.peek();
    const points: Point[] = [{ x: press.x, y: press.y }];
    const kind = erasing ? 'erase' : mode === 'skeleton' ? 'bone' : mode === 'hitbox' ? 'ellipse' : 'line';
    const joint = mode === 'skeleton' && !erasing ? this.view.jointAt(press, press.kind) : null;
    const hitbox = mode === 'hitbox' ? this.view.hitboxAt(press) : null;
    const end = () => {
      this.view.ink.value = null;
    };
    return {
      move: (sample, _from, coalesced) => {
        points.push(...(coalesced.length > 0 ? coalesced : [sample]).map(({ x, y }) => ({ x, y })));
        this.view.ink.value = { points: [...points], kind };
      },
      ...(joint !== null ? { hold: () => this.moving(press, joint) } : {}),
      ...(hitbox ? { hold: () => this.widget(press, hitbox.id) } : {}),
      join: (second) => {
        end();
        return this.two(press, second, hitbox?.id ?? null);
      },
      release: (still) => {
        end();
        if (still) this.tapped(press, erasing);
        else this.drawn(points, press.kind, kind);
      },
      cancel: end,
    };
  }

  private drawn(points: Point[], pointer: string, kind: 'bone' | 'ellipse' | 'line' | 'erase'): void {
    if (kind === 'erase') {
      this.erase(points, pointer);
      return;
    }
    const stroke = this.view.stroke(points, pointer);
    if (kind === 'bone') void this.store.draw('Draw bones', { bones: { stroke } });
    else if (kind === 'line') void this.store.follow(stroke);
    else {
      void this.store.draw('Draw a hitbox', { hitbox: { stroke } }).then(([first]) => {
        if (first !== undefined) this.store.chosen.value = { kind: 'hitbox', id: first };
      });
    }
  }

  /** Takes away what a stroke touches. */
  private erase(points: Point[], pointer: string): void {
    const bones = new Set(points.flatMap((point) => this.view.boneAt(point, pointer)?.id ?? []));
    if (bones.size > 0) void this.store.draw('Erase', { remove: { joints: [], bones: [...bones] } });
  }

  private tapped(press: Press, erasing: boolean): void {
    const { mode, chosen } = this.store;
    if (mode.peek() === 'hitbox') {
      const hit = this.view.hitboxAt(press);
      chosen.value = hit ? { kind: 'hitbox', id: hit.id } : null;
      return;
    }
    const joint = this.view.jointAt(press, press.kind);
    const bone = this.view.boneAt(press, press.kind);
    if (erasing) {
      if (joint !== null) void this.store.draw('Erase', { remove: { joints: [joint], bones: [] } });
      else if (bone) void this.store.draw('Erase', { remove: { joints: [], bones: [bone.id] } });
    } else if (joint !== null) {
      chosen.value = { kind: 'joint', id: joint };
    } else if (bone && mode.peek() === 'skeleton') {
      void this.store.draw('Split', { split: { bone: bone.id, at: bone.at.toArray() } });
      chosen.value = null;
    } else {
      chosen.value = null;
    }
  }

  /** A joint that was held still goes with the finger, in the plane of the view. */
  private moving(press: Press, joint: number): Drag {
    const start = this.store.creature;
    const at = placeOf(start, joint);
    const normal = this.view.viewDirection();
    const from = onPlane(this.view.ray(press.x, press.y), at, normal) ?? at;
    this.store.chosen.value = { kind: 'joint', id: joint };
    this.store.document.begin('Move a joint');
    return this.gesture((sample) => {
      const to = onPlane(this.view.ray(sample.x, sample.y), at, normal);
      if (to) this.store.document.adjust(() => withJoint(start, joint, at.clone().add(to).sub(from)));
    });
  }

  private widget(press: Press, id: number): Drag | null {
    const start = this.store.hitbox(id);
    if (!start) return null;
    this.store.chosen.value = { kind: 'hitbox', id };
    this.store.document.begin('Shape');
    this.hold({ id, x: press.x, y: press.y });
    const scale = 2 / padSize();
    const drag = this.gesture((sample) => {
      const exponents: [number, number] = [start.exponents[0] + (sample.x - press.x) * scale, start.exponents[1] - (sample.y - press.y) * scale];
      this.store.adjustHitbox(id, (old) => ({ ...old, exponents }));
    });
    const closing = (run: () => void) => () => {
      this.hold(null);
      run();
    };
    return { move: drag.move.bind(drag), release: closing(() => {
      this.store.document.commit();
    }), cancel: closing(() => {
      this.store.document.cancel();
    }) };
  }

  // Joints, poses, physics

  private choosing(press: Press): Drag | null {
    const joint = this.view.jointAt(press, press.kind);
    const bone = joint === null ? this.view.boneAt(press, press.kind) : null;
    if (joint === null && !bone) return null;
    const drag = this.looking(press);
    return {
      ...drag,
      release: (still) => {
        if (!still) return;
        if (joint !== null) {
          const [first, ...others] = bonesAt(this.store.creature, joint);
          this.store.chosen.value = first && others.length === 0 ? { kind: 'bone', id: first.id } : { kind: 'joint', id: joint };
        } else if (bone) this.store.chosen.value = { kind: 'bone', id: bone.id };
      },
    };
  }

  private posing(press: Press): Drag | null {
    const joint = this.view.jointAt(press, press.kind);
    const at = joint === null ? undefined : this.view.bones.joints.get(joint)?.clone();
    if (joint === null || !at) return null;
    if (this.store.playing.peek()) this.store.play(false);
    const start = this.store.creature.stance;
    const normal = this.view.viewDirection();
    const from = onPlane(this.view.ray(press.x, press.y), at, normal) ?? at;
    this.store.chosen.value = { kind: 'joint', id: joint };
    this.store.document.begin('Pose');
    return {
      move: (sample) => {
        const to = onPlane(this.view.ray(sample.x, sample.y), at, normal);
        if (to) this.store.reach(joint, at.clone().add(to).sub(from), start);
      },
      join: (second) => this.twoOnView(press, second),
      release: () => {
        void this.store.reached().then(() => {
          this.store.document.commit();
        });
      },
      cancel: () => {
        this.store.document.cancel();
      },
    };
  }

  private pulling(press: Press): Drag | null {
    const hit = this.view.hitboxAt(press);
    const bone = hit ? { id: hit.bone, at: hit.point } : this.view.boneAt(press, press.kind);
    if (!bone) return null;
    const { input } = this.store.link;
    const normal = this.view.viewDirection();
    input.press({ control: PULL, object: bone.id, values: bone.at.toArray() });
    const twisting = press.shift;
    return {
      move: (sample) => {
        this.view.latency.touched(performance.now());
        if (twisting) {
          const by = normal.clone().multiplyScalar(BY_MOUSE * (sample.x - press.x));
          input.move({ control: TWIST, values: by.toArray() });
          return;
        }
        const to = onPlane(this.view.ray(sample.x, sample.y), bone.at, normal);
        if (to) input.move({ control: PULL, values: to.toArray() });
      },
      join: (second) => this.twisting(press, second, bone, normal),
      release: () => {
        this.letGo();
      },
      cancel: () => {
        this.letGo();
      },
    };
  }

  private letGo(): void {
    const { input } = this.store.link;
    input.release({ control: TWIST, values: [0, 0, 0] });
    input.release({ control: PULL, values: [0, 0, 0] });
  }

  /** Two fingers on a bone pull it by their middle and twist it by their turn. */
  private twisting(first: Press, second: Press, bone: { id: number; at: Vector3 }, normal: Vector3): Drag {
    const { input } = this.store.link;
    input.press({ control: PULL, object: bone.id, values: bone.at.toArray() });
    let [turn, shift] = [0, { x: 0, y: 0 }];
    return this.between(first, second, (change) => {
      turn += change.turn;
      shift = { x: shift.x + change.dx, y: shift.y + change.dy };
      const to = onPlane(this.view.ray(first.x + shift.x, first.y + shift.y), bone.at, normal);
      if (to) input.move({ control: PULL, values: to.toArray() });
      input.move({ control: TWIST, values: normal.clone().multiplyScalar(2 * turn).toArray() });
    }, () => {
      this.letGo();
    }, () => {
      this.letGo();
    });
  }

  // Two fingers, and the view

  /** Two fingers in Hitbox mode: the hitbox under the first, or the chosen one; otherwise the view. */
  private two(first: Press, second: Press, under: number | null): Drag {
    const { value } = this.store.chosen;
    const id = under ?? (value?.kind === 'hitbox' && this.store.mode.peek() === 'hitbox' ? value.id : null);
    const start = id === null ? undefined : this.store.hitbox(id);
    if (!start) return this.twoOnView(first, second);
    this.store.chosen.value = { kind: 'hitbox', id: start.id };
    this.store.document.begin('Move a hitbox');
    const { right, up } = this.view.viewAxes();
    const normal = this.view.viewDirection();
    const metres = this.view.rig.metresPerPixel(this.view.activeHeight, this.view.rig.distance);
    let now: Hitbox = start;
    return this.between(first, second, ({ dx, dy, scale, turn }) => {
      const position = new Vector3(...now.position).addScaledVector(right, dx * metres).addScaledVector(up, -dy * metres);
      const [a, b, c] = now.radii;
      now = { ...now, position: position.toArray(), radii: [a * scale, b * scale, c * scale], orientation: turned(now.orientation, normal, turn) };
      this.store.adjustHitbox(start.id, () => now);
    }, () => {
      this.store.document.commit();
    }, () => {
      this.store.document.cancel();
    });
  }

  private twoOnView(first: Press, second: Press): Drag {
    const { rig, activeHeight } = this.view;
    return this.between(first, second, ({ dx, dy, scale, turn }) => {
      rig.drag(dx, dy, activeHeight);
      rig.zoom(scale);
      rig.twist?.(turn);
      this.view.invalidate();
    });
  }

  private between(first: Press, second: Press, move: (change: ReturnType<typeof fingerChange>) => void, release?: () => void, cancel?: () => void): Drag {
    const fingers = new Map<number, Point>([[first.pointer, first], [second.pointer, second]]);
    const both = () => {
      const [a, b] = [...fingers.values()];
      return twoFingers(a ?? first, b ?? second);
    };
    let last = both();
    return {
      move: (sample: Sample) => {
        fingers.set(sample.pointer, sample);
        const now = both();
        move(fingerChange(last, now));
        last = now;
      },
      release: () => {
        release?.();
      },
      cancel: () => {
        cancel?.();
      },
    };
  }

  /** A drag of the view; a tap lets go of what is chosen. */
  private looking(press: Press): Drag {
    return {
      ...this.turning(press.shift),
      join: (second) => this.two(press, second, null),
      release: (still) => {
        if (still) this.store.chosen.value = null;
      },
    };
  }

  private turning(shifting: boolean): Drag {
    const { rig, activeHeight } = this.view;
    return {
      move: (sample, from) => {
        if (shifting) rig.shift(sample.x - from.x, sample.y - from.y, activeHeight);
        else rig.drag(sample.x - from.x, sample.y - from.y, activeHeight);
        this.view.invalidate();
      },
      release: () => undefined,
      cancel: () => undefined,
    };
  }

  private gesture(move: (sample: Point) => void): Drag {
    return {
      move,
      release: () => {
        this.store.document.commit();
      },
      cancel: () => {
        this.store.document.cancel();
      },
    };
  }
}

/** The orientation of a hitbox for whoever draws it. */
export function turnOf({ orientation }: Hitbox): Quaternion {
  return new Quaternion(...orientation).normalize();
}
