// One registry of shapes: how a new one begins and is drawn, and how any is scaled, joined with others and taken apart.

import { Quaternion, Vector3 } from 'three';

import type { Body, Part, ShapeType } from './body';
import type { IconName } from '../ui/icons';

type Triple = [number, number, number];
type Quad = [number, number, number, number];
const UPRIGHT: Quad = [0, 0, 0, 1];

/** How a surface is drawn: closed; open, seen from within too; a plane, which fades and has no end; or not at all. */
export type Surface = 'closed' | 'open' | 'unbounded' | 'none';

/** All that the front end knows about one kind of shape. */
export interface ShapeKind {
  label: string;
  icon: IconName;
  /** Where the menu for new bodies has it; none for what comes from files. */
  group: string | null;
  /** What a new one is called, and its fields. */
  called: string;
  fields: () => Omit<Body, 'id' | 'name' | 'type' | 'position' | 'orientation'>;
  position?: Triple;
  surface: Surface;
  /** Whether it can become a part of a compound. */
  joins: boolean;
  /** Whether it may have a taper: superellipsoids and superovoids become each other. */
  tapers: boolean;
  /** Lowest height of its rims, in third radii. */
  lowest: number;
  /** What it is called when it is not convex. */
  notConvex: string;
  /** What its pieces are, where it has any, and what that means for distances. */
  pieces: { unit: string; about: string } | null;
}

const SMOOTH = { surface: 'closed', joins: true, tapers: false, lowest: 0.1, notConvex: 'not convex', pieces: null } as const;
const [CONVEX, EXACT, FURTHER, SIMPLE] = ['Smooth and convex', 'With flat faces or rounded edges', 'Further superquadrics', 'Simple and composed'];

export const KINDS: Record<ShapeType, ShapeKind> = {
  superellipsoid: { ...SMOOTH, label: 'Superellipsoid', icon: 'shape', group: CONVEX, called: 'Body', tapers: true, fields: () => ({ radii: [0.8, 0.8, 0.8], exponents: [0.5, 0.5] }) },
  superovoid: { ...SMOOTH, label: 'Superovoid', icon: 'egg', group: CONVEX, called: 'Egg', tapers: true, notConvex: 'dented', fields: () => ({ radii: [0.65, 0.65, 0.9], exponents: [1, 1], taper: [-0.2, -0.2] }) },
  box: { ...SMOOTH, label: 'Box', icon: 'box', group: EXACT, called: 'Box', fields: () => ({ half_extents: [0.7, 0.6, 0.5], rounding: 0 }) },
  sphere: { ...SMOOTH, label: 'Sphere', icon: 'sphere', group: EXACT, called: 'Sphere', fields: () => ({ radius: 0.7 }) },
  cylinder: { ...SMOOTH, label: 'Cylinder', icon: 'cylinder', group: EXACT, called: 'Cylinder', fields: () => ({ radius: 0.5, half_height: 0.7, rounding: 0 }) },
  cone: { ...SMOOTH, label: 'Cone', icon: 'cone', group: EXACT, called: 'Cone', fields: () => ({ radius: 0.6, half_height: 0.7, rounding: 0 }) },
  capsule: { ...SMOOTH, label: 'Capsule', icon: 'capsule', group: EXACT, called: 'Capsule', fields: () => ({ radius: 0.35, half_height: 0.6 }) },
  frustum: { ...SMOOTH, label: 'Frustum', icon: 'frustum', group: EXACT, called: 'Frustum', fields: () => ({ end_radii: [0.7, 0.35], half_height: 0.6, rounding: 0 }) },
  hull: { ...SMOOTH, label: 'Convex hull of points', icon: 'hull', group: EXACT, called: 'Hull', fields: () => ({ points: roof(), rounding: 0 }) },
  supertoroid: { ...SMOOTH, label: 'Supertoroid', icon: 'ring', group: FURTHER, called: 'Ring', joins: false, fields: () => ({ radii: [0.3, 0.3, 0.3], exponents: [1, 1], hole: 2.6 }) },
  superhyperboloid1: { ...SMOOTH, label: 'Superhyperboloid, one sheet', icon: 'dent', group: FURTHER, called: 'Hourglass', joins: false, surface: 'open', fields: () => ({ radii: [0.4, 0.4, 0.6], exponents: [1, 1], height: 1 }) },
  superhyperboloid2: { ...SMOOTH, label: 'Superhyperboloid, two sheets', icon: 'bowls', group: FURTHER, called: 'Bowls', joins: false, surface: 'open', lowest: 1.02, fields: () => ({ radii: [0.5, 0.5, 0.5], exponents: [1, 1], height: 1.2 }) },
  plane: { ...SMOOTH, label: 'Plane', icon: 'plane', group: SIMPLE, called: 'Plane', joins: false, surface: 'unbounded', position: [0, 0, -1.2], fields: () => ({ normal: [0, 0, 1], offset: 0 }) },
  point: { ...SMOOTH, label: 'Point', icon: 'point', group: SIMPLE, called: 'Point', surface: 'none', fields: () => ({}) },
  segment: { ...SMOOTH, label: 'Segment', icon: 'segment', group: SIMPLE, called: 'Segment', surface: 'none', fields: () => ({ points: [[-0.7, 0, 0], [0.7, 0, 0]] }) },
  triangle: { ...SMOOTH, label: 'Triangle', icon: 'triangle', group: SIMPLE, called: 'Triangle', surface: 'open', fields: () => ({ points: [[-0.8, -0.5, 0], [0.8, -0.5, 0], [0, 0.9, 0]] }) },
  compound: { ...SMOOTH, label: 'Compound', icon: 'compound', group: SIMPLE, called: 'Dumbbell', surface: 'open', pieces: { unit: 'parts', about: 'Distances hold for its nearest part' }, fields: () => ({ parts: dumbbell() }) },
  mesh: { ...SMOOTH, label: 'Mesh', icon: 'mesh', group: null, called: 'Mesh', joins: false, surface: 'open', pieces: { unit: 'triangles', about: 'A surface of triangles: distances hold for its nearest one' }, fields: () => ({ file: '' }) },
};

/** What the menu for new bodies offers, group by group. */
export const FORMS = [CONVEX, EXACT, FURTHER, SIMPLE].map((title) => ({
  title,
  forms: (Object.entries(KINDS) as [ShapeType, ShapeKind][]).filter(([, kind]) => kind.group === title).map(([type, { label, icon }]) => ({ type, label, icon })),
}));

export function iconOf(type: ShapeType): IconName {
  return KINDS[type].icon;
}

/** Without an end: it fills the view. */
export function isUnbounded({ type }: Body | Part): boolean {
  return KINDS[type].surface === 'unbounded';
}

/** Without a surface: drawn as dots and rods. */
export function isLine({ type }: Body | Part): boolean {
  return KINDS[type].surface === 'none';
}

export function newBody(id: number, type: ShapeType, count: number): Body {
  const angle = 2.4 * count;
  const { called, fields, position } = KINDS[type];
  const place: Triple = position ?? [2.2 * Math.cos(angle), 2.2 * Math.sin(angle), 0.8];
  return { id, name: `${called} ${id}`, type, ...fields(), position: place, orientation: UPRIGHT };
}

function dumbbell(): Part[] {
  const part = (radii: Triple, exponents: [number, number], x: number): Part => ({
    type: 'superellipsoid', radii, exponents, position: [x, 0, 0], orientation: UPRIGHT,
  });
  return [part([0.45, 0.45, 0.45], [1, 1], -0.8), part([0.7, 0.16, 0.16], [1, 1], 0), part([0.45, 0.45, 0.45], [0.4, 0.4], 0.8)];
}

/** A house's roof: the corners of a hull that nothing else here is. */
function roof(): Triple[] {
  return [[-0.8, -0.6, -0.4], [0.8, -0.6, -0.4], [0.8, 0.6, -0.4], [-0.8, 0.6, -0.4], [-0.4, 0, 0.6], [0.4, 0, 0.6]];
}

/** The shortest length that tools make, in metres, where none is not allowed, and the longest. */
export const SMALLEST = 0.02;
export const LARGEST = 10;
const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
const times = (vector: Triple, factor: number): Triple => [vector[0] * factor, vector[1] * factor, vector[2] * factor];

/** The body made larger or smaller about its own origin. A mesh has the size of its file. */
export function scaled(body: Body, factor: number): Body {
  const within = (value: number) => clamp(value * factor, SMALLEST, LARGEST);
  const grown = <Form extends Body | Part>(form: Form): Form => ({
    ...sizes(form).reduce((changed, size) => resized(changed, size, sizeOf(form, size) * factor), form),
    ...(form.radii ? { radii: form.radii.map(within) as Triple } : {}),
    ...(form.points ? { points: form.points.map((point) => times(point, factor)) } : {}),
  });
  const parts = body.parts?.map((part) => ({ ...grown(part), position: times(part.position, factor) }));
  return sound({
    ...grown(body),
    ...(body.height !== undefined ? { height: body.height * factor } : {}),
    ...(parts ? { parts } : {}),
  });
}

/** A length of a box, cylinder, cone, capsule, frustum, sphere or hull that hands can set. */
export interface Size {
  field: 'half_extents' | 'end_radii' | 'radius' | 'half_height' | 'rounding';
  /** Which of the field's numbers, where it has several. */
  index: 0 | 1 | 2;
  label: string;
  symbol: string;
  /** The least that is allowed; none at all for what may vanish. */
  least: number;
  /** Where its handle begins and ends, in the body's own frame, along one of its axes; not drawn for a hull, whose corners are held. */
  from: Triple;
  to: Triple;
  axis: 0 | 1 | 2;
}

/** The lengths of a body that has any, in the order in which they are shown. */
export function sizes(body: Body | Part): Size[] {
  const { half_extents: box, radius = 0, half_height: half = 0, end_radii: ends, rounding = 0 } = body;
  const size = (field: Size['field'], index: 0 | 1 | 2, label: string, symbol: string, least: number, axis: 0 | 1 | 2, from: Triple, length: number): Size => {
    const to: Triple = [...from];
    to[axis] += length;
    return { field, index, label, symbol, least, axis, from, to };
  };
  // Rounded edges begin where the sharp body would end.
  const rounded = (from: Triple) => size('rounding', 0, 'Rounding', 'r', 0, 0, from, -rounding);
  const across = (z: number, around = rounding) => size('radius', 0, 'Radius', 'R', SMALLEST, 0, [0, 0, z], radius + around);
  const upward = (least: number, above = rounding) => size('half_height', 0, 'Height', 'h', least, 2, [0, 0, 0], half + above);
  switch (body.type) {
    case 'box': {
      const halves = box ?? [0, 0, 0];
      const side = (axis: 0 | 1 | 2) => size('half_extents', axis, ['Width', 'Depth', 'Height'][axis] ?? '', ['h₁', 'h₂', 'h₃'][axis] ?? '', SMALLEST, axis, [0, 0, 0], halves[axis] + rounding);
      return [side(0), side(1), side(2), rounded([-halves[0], 0, 0])];
    }
    case 'sphere':
      return [across(0)];
    case 'cylinder':
      return [across(0), upward(SMALLEST), rounded([-radius, 0, 0])];
    case 'cone':
      return [across(-half), upward(SMALLEST), rounded([-radius, 0, -half])];
    case 'capsule':
      return [across(0), upward(0, radius + rounding)];
    case 'frustum': {
      const [bottom, top] = ends ?? [0, 0];
      // A frustum may have a tip at one of its ends.
      const end = (index: 0 | 1, label: string, symbol: string, z: number, own: number, other: number) =>
        size('end_radii', index, label, symbol, other > 0 ? 0 : SMALLEST, 0, [0, 0, z], own + rounding);
      return [end(0, 'Bottom', 'R₁', -half, bottom, top), end(1, 'Top', 'R₂', half, top, bottom), upward(SMALLEST), rounded([-bottom, 0, -half])];
    }
    case 'hull':
      return [rounded([0, 0, 0])];
    default:
      return [];
  }
}

/** The length itself, in metres. */
export function sizeOf(body: Body | Part, { field, index }: Size): number {
  const value = body[field] ?? 0;
  return typeof value === 'number' ? value : (value[index] ?? 0);
}

/** The body with another length, within what is allowed. */
export function resized<Form extends Body | Part>(body: Form, size: Size, value: number): Form {
  const within = clamp(value, size.least, LARGEST);
  const old = body[size.field];
  return { ...body, [size.field]: Array.isArray(old) ? old.map((other, index) => (index === size.index ? within : other)) : within };
}

/** The range of a superhyperboloid's height, in metres. */
export function heightRange(body: Body): [number, number] {
  const a3 = body.radii?.[2] ?? 1;
  return [KINDS[body.type].lowest * a3, 6 * a3];
}

/** The body with what depends on its radii within its range. */
export function sound(body: Body): Body {
  if (body.height === undefined) return body;
  const [low, high] = heightRange(body);
  const height = clamp(body.height, low, high);
  return height === body.height ? body : { ...body, height };
}

/** Whether a body can become a part of a compound. */
export function canJoin(body: Body): boolean {
  return KINDS[body.type].joins;
}

/** Some bodies as one compound, in the frame of the first. */
export function joined(first: Body, others: Body[]): Body {
  const back = new Quaternion(...first.orientation).normalize().invert();
  const origin = new Vector3(...first.position);
  const parts = [first, ...others].flatMap((body) =>
    partsOf(body).map((part): Part => ({
      ...part,
      position: new Vector3(...part.position).sub(origin).applyQuaternion(back).toArray(),
      orientation: quad(back.clone().multiply(new Quaternion(...part.orientation).normalize())),
    })),
  );
  const { id, name, position, orientation, keys } = first;
  return { id, name, type: 'compound', parts, position, orientation, ...(keys ? { keys } : {}) };
}

/** The parts of a compound as bodies of their own, the first with the compound's id. */
export function takenApart(body: Body, nextId: number): Body[] {
  return partsOf(body).map((part, index) => ({
    ...part,
    id: index === 0 ? body.id : nextId + index - 1,
    name: index === 0 ? body.name : `${body.name} ${index + 1}`,
  }));
}

/** What a body is made of, in the world. */
function partsOf(body: Body): Part[] {
  const { id: _id, name: _name, keys: _keys, colour: _colour, hidden: _hidden, locked: _locked, parts, ...form } = body;
  if (!parts) return [form];
  const turn = new Quaternion(...body.orientation).normalize();
  const origin = new Vector3(...body.position);
  return parts.map((part) => ({
    ...part,
    position: new Vector3(...part.position).applyQuaternion(turn).add(origin).toArray(),
    orientation: quad(turn.clone().multiply(new Quaternion(...part.orientation).normalize())),
  }));
}

function quad({ x, y, z, w }: Quaternion): Quad {
  return [x, y, z, w];
}

/** Points and segments, which have no surface, in the body's own frame: its own and those of its parts. */
export function hulls(body: Body): Triple[][] {
  if (isLine(body)) return [body.points ?? [[0, 0, 0]]];
  return (body.parts ?? []).filter(isLine).map((part) => {
    const turn = new Quaternion(...part.orientation).normalize();
    const points: Triple[] = part.points ?? [[0, 0, 0]];
    return points.map((point) => new Vector3(...point).applyQuaternion(turn).add(new Vector3(...part.position)).toArray());
  });
}
