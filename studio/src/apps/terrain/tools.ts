// What hands do on Terrain Cloth's stage.
//
// One pointer on a handle drags it; on a clothespin moves it (held still: takes it off, to be put on elsewhere); on a body moves it
// over the table with all that are chosen (held still: opens the exponent widget and slides through it); on the cloth pulls it (held
// for half a second: leaves a clothespin); elsewhere turns the view. Two fingers turn and zoom the view, two that tap make a body.
// The right button turns the view everywhere, with Shift it shifts it.

import { Vector3 } from 'three';

import { fingerChange, onPlane, twoFingers } from '../../input/drag';
import type { Drag, Point, Press, Tool } from '../../input/pointers';
import { padSize } from '../../widgets/HeldPad';
import type { ClothHit } from './cloth';
import { draggedBy } from './handles';
import { makeHill } from './editing';
import type { Hill } from './messages';
import type { Store } from './store';
import type { View } from './view';

const [BODY, PULL] = [0, 1];
/** Milliseconds of holding the pulled cloth still until a clothespin is there. */
const HOLD = 500;
const UP = new Vector3(0, 0, 1);

/** The exponent widget under a finger: where it opened, and for which body. */
export interface Held extends Point {
  id: number;
}

export interface Around {
  hold: (held: Held | null) => void;
}

export function terrainTools(view: View, store: Store, around: Around): Tool[] {
  const tools = new Tools(view, store, around);
  return [{ press: tools.onWalk }, { press: tools.onView }, { press: tools.onHandle }, { press: tools.onPin }, { press: tools.onHill }, { press: tools.onCloth }, { press: tools.onNothing }];
}

class Tools {
  constructor(private readonly view: View, private readonly store: Store, private readonly around: Around) {}

  readonly onWalk = (press: Press): Drag | null => (this.store.walking.peek() ? this.view.walking.press(press, this.view.wide) : null);

  /** Beside what is meant for the cloth. */
  readonly onView = (press: Press): Drag | null => (press.secondary || press.alt ? this.turning(press.shift) : null);

  readonly onHandle = (press: Press): Drag | null => {
    const kind = this.view.handleAt(press.x, press.y);
    const start = this.store.hill(this.store.chosen.peek().at(-1));
    if (!kind || !start) return null;
    this.store.begin(kind === 'turn' ? 'Turn' : kind === 'height' ? 'Height' : 'Width');
    const from = this.view.ray(press.x, press.y);
    return this.gesture(press, (sample) => {
      this.store.adjustHill(start.id, () => draggedBy(kind, start, from, this.view.ray(sample.x, sample.y)));
    });
  };

  readonly onHill = (press: Press): Drag | null => {
    const hit = this.view.hillAt(press.x, press.y);
    const start = this.store.hill(hit?.id);
    if (!hit || !start) return null;
    const { id } = start;
    const level = Math.max(hit.point.z, 0);
    const grabbed = new Vector3(hit.point.x, hit.point.y, level);
    let starts: Hill[] = [];
    this.store.begin('Move');
    const drag = this.gesture(press, (sample) => {
      if (starts.length === 0) {
        if (!this.store.chosen.peek().includes(id)) this.store.choose([id]);
        starts = this.store.landscape.hills.filter((hill) => this.store.chosen.peek().includes(hill.id));
      }
      const at = onPlane(this.view.ray(sample.x, sample.y), grabbed, UP);
      if (!at) return;
      this.carry(starts, at.x - grabbed.x, at.y - grabbed.y);
    });
    return {
      ...drag,
      hold: () => this.widget(press, id),
      release: (still) => {
        drag.release(still);
        if (!still) return;
        if (press.shift || press.ctrl) this.store.chooseMore(id);
        else this.store.choose([id]);
      },
    };
  };

  readonly onPin = (press: Press): Drag | null => {
    const hit = this.view.pinAt(press.x, press.y);
    const pin = this.store.landscape.settings.pins.find(({ id }) => id === hit?.id);
    if (!hit || !pin) return null;
    const grabbed = hit.point;
    const start = new Vector3(...pin.at);
    this.store.begin('Move the clothespin');
    const drag = this.gesture(press, (sample) => {
      const at = this.inAir(sample, grabbed)?.sub(grabbed).add(start);
      if (at) this.adjustPins((pins) => pins.map((other) => (other.id === pin.id ? { ...other, at: this.inBox(at) } : other)));
    });
    return {
      ...drag,
      hold: () => this.carryPin(press, pin.id),
      release: (still) => {
        drag.release(still);
        if (!still) return;
        this.store.choose([]);
        this.store.pin.value = pin.id;
      },
    };
  };

  readonly onCloth = (press: Press): Drag | null => {
    const hit = this.view.clothAt(press.x, press.y);
    if (!hit || this.store.landscape.settings.frozen) return null;
    return this.pulling(press, hit, false);
  };

  readonly onNothing = (press: Press): Drag => {
    const drag = this.turning(press.shift);
    return {
      ...drag,
      join: (second) => this.twoOnView(press, second),
      release: (still) => {
        if (still && !press.shift) this.store.choose([]);
      },
    };
  };

  /** A gesture that changes the document; a second finger makes it one of the view. */
  private gesture(press: Press, move: (sample: Point) => void): Drag {
    return {
      move: (sample) => {
        this.view.latency.touched(performance.now());
        move(sample);
      },
      join: (second) => this.twoOnView(press, second),
      release: () => {
        this.store.commit();
      },
      cancel: () => {
        this.store.cancel();
      },
    };
  }

  /** Bodies go over the table: at once here, and with the next message in the session. */
  private carry(starts: Hill[], dx: number, dy: number): void {
    const moved = new Map(starts.map((hill) => [hill.id, this.store.within({ ...hill, position: [hill.position[0] + dx, hill.position[1] + dy] })]));
    this.store.adjust((landscape) => ({ ...landscape, hills: landscape.hills.map((hill) => (moved.has(hill.id) ? { ...hill, position: moved.get(hill.id)?.position ?? hill.position } : hill)) }));
    // The port carries one place a control; others come with the document.
    const [first] = moved.values();
    if (first) this.store.link.input.move({ control: BODY, object: first.id, values: [...first.position, 0] });
  }

  /** The exponent widget under the finger. */
  private widget(press: Press, id: number): Drag | null {
    const start = this.store.hill(id);
    if (!start) return null;
    this.store.choose([id]);
    this.around.hold({ id, x: press.x, y: press.y });
    let begun = false;
    const end = () => {
      this.around.hold(null);
    };
    return {
      move: (sample) => {
        if (!begun) this.store.begin('Shape');
        begun = true;
        const [e1, e2] = start.exponents;
        const size = padSize();
        this.store.adjustHill(id, (hill) => ({ ...hill, exponents: [e1 + (2 * (sample.x - press.x)) / size, e2 - (2 * (sample.y - press.y)) / size] }));
      },
      release: () => {
        end();
        if (begun) this.store.commit();
      },
      cancel: () => {
        end();
        if (begun) this.store.cancel();
      },
    };
  }

  /** The cloth in a hand. */
  private pulling(press: Press, hit: ClothHit, held: boolean): Drag {
    const { input } = this.store.link;
    let target = hit.point.clone();
    let pinned = held;
    let timer: number | undefined;
    let begun = false;
    const show = () => {
      this.view.pins.pull(hit.point, target, pinned);
      this.view.invalidate();
    };
    const awaitPin = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        pinned = true;
        show();
      }, HOLD);
    };
    const begin = () => {
      if (begun) return;
      begun = true;
      this.store.begin(pinned ? 'Pin' : 'Pull');
      // What was before is another moment, also when nothing of the document changes.
      this.store.adjust((landscape) => ({ ...landscape }));
      input.press({ control: PULL, object: hit.triangle, values: [...hit.point.toArray(), ...hit.weights] });
    };
    const end = () => {
      window.clearTimeout(timer);
      input.release({ control: PULL, values: [0, 0, 0] });
      this.view.pins.pull(null, target, false);
      this.view.invalidate();
    };
    if (held) {
      begin();
      show();
    }
    return {
      move: (sample) => {
        begin();
        this.view.latency.touched(performance.now());
        const at = this.inAir(sample, hit.point);
        if (!at) return;
        if (at.distanceTo(target) > 1e-4) awaitPin();
        target = this.inBoxVector(at);
        input.move({ control: PULL, values: [target.x, target.y, target.z] });
        show();
      },
      ...(held ? {} : { hold: () => this.pulling(press, hit, true) }),
      join: (second) => this.twoOnView(press, second),
      release: (still) => {
        if (!begun) {
          if (still) this.store.choose([]);
          return;
        }
        end();
        if (pinned) this.leavePin(hit.place, target);
        this.store.commit();
      },
      cancel: () => {
        if (!begun) return;
        end();
        this.store.cancel();
      },
    };
  }

  private leavePin(place: [number, number], at: Vector3): void {
    const id = this.store.freshId();
    const most = this.store.link.facts.peek()?.most_pins ?? 0;
    if (this.store.landscape.settings.pins.length >= most) {
      this.store.say(`There are ${most} clothespins already: take one off first.`, 'error');
      return;
    }
    const within = (part: number) => Math.min(Math.max(part, 0), 1);
    this.adjustPins((pins) => [...pins, { id, place: [within(place[0]), within(place[1])], at: this.inBox(at) }]);
    this.store.choose([]);
    this.store.pin.value = id;
  }

  /** A clothespin taken off the cloth: put on again where it is let go over it, gone elsewhere. */
  private carryPin(press: Press, id: number): Drag {
    this.store.begin('Move the clothespin');
    this.adjustPins((pins) => pins.filter((pin) => pin.id !== id));
    let hit = this.view.clothAt(press.x, press.y);
    this.view.pins.carry(hit?.point ?? null);
    this.view.invalidate();
    return {
      move: (sample) => {
        hit = this.view.clothAt(sample.x, sample.y);
        this.view.pins.carry(hit?.point ?? null);
        this.view.invalidate();
      },
      release: () => {
        this.view.pins.carry(null);
        if (hit) this.leavePin(hit.place, hit.point);
        this.store.commit();
      },
      cancel: () => {
        this.view.pins.carry(null);
        this.store.cancel();
      },
    };
  }

  private adjustPins(how: (pins: Store['landscape']['settings']['pins']) => Store['landscape']['settings']['pins']): void {
    this.store.adjust((landscape) => ({ ...landscape, settings: { ...landscape.settings, pins: how(landscape.settings.pins) } }));
  }

  /** Where a pointer is in the upright plane through a place that faces the viewer. */
  private inAir({ x, y }: Point, through: Vector3): Vector3 | null {
    const facing = this.view.viewDirection();
    // From far above, the plane that faces the viewer is the better one.
    if (facing.z > -0.85) facing.setZ(0).normalize();
    return onPlane(this.view.ray(x, y), through, facing);
  }

  private inBoxVector(at: Vector3): Vector3 {
    return new Vector3(Math.min(Math.max(at.x, -1.6), 1.6), Math.min(Math.max(at.y, -1.6), 1.6), Math.min(Math.max(at.z, 0), 2));
  }

  private inBox(at: Vector3): [number, number, number] {
    return this.inBoxVector(at).toArray();
  }

  private turning(shifting: boolean): Drag {
    const { rig, activeHeight } = this.view;
    return {
      move: (sample, from) => {
        if (shifting) rig.shift(sample.x - from.x, sample.y - from.y, activeHeight);
        else rig.drag(sample.x - from.x, sample.y - from.y, activeHeight);
        this.keepAbove();
      },
      release: () => undefined,
      cancel: () => undefined,
    };
  }

  private twoOnView(first: Press, second: Press): Drag {
    const fingers = new Map<number, Point>([[first.pointer, first], [second.pointer, second]]);
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return twoFingers(a ?? first, b ?? second);
    };
    const { rig, activeHeight } = this.view;
    let last = spread();
    return {
      move: (sample) => {
        fingers.set(sample.pointer, sample);
        const now = spread();
        const { dx, dy, scale, turn } = fingerChange(last, now);
        rig.drag(dx, dy, activeHeight);
        rig.zoom(scale);
        rig.twist?.(turn);
        this.keepAbove();
        last = now;
      },
      release: () => undefined,
      cancel: () => undefined,
    };
  }

  /** Nobody looks from below the table. */
  private keepAbove(): void {
    const { orbit } = this.view;
    if (orbit.elevation < 0.06) orbit.look(orbit.azimuth, 0.06);
    this.view.invalidate();
  }
}

/** Makes a body where a pixel shows the cloth or the table. */
export function makeAt(view: View, store: Store, { x, y }: Point): void {
  const at = view.clothAt(x, y)?.point ?? onPlane(view.ray(x, y), new Vector3(), UP);
  if (at) makeHill(store, [at.x, at.y]);
}
