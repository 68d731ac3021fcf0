// What the front end knows about shapes: how a new one begins, how one is scaled, joined with others and taken apart.

import { Quaternion, Vector3 } from 'three';

import type { Body, Part, ShapeType } from '../protocol/messages';
import type { IconName } from '../ui/icons';

export interface FormFacts {
  type: ShapeType;
  label: string;
  icon: IconName;
}

/** In the order of the menu; meshes come from files. */
export const FORMS: { title: string; forms: FormFacts[] }[] = [
  {
    title: 'Smooth and convex',
    forms: [
      { type: 'superellipsoid', label: 'Superellipsoid', icon: 'shape' },
      { type: 'superovoid', label: 'Superovoid', icon: 'egg' },
    ],
  },
  {
    title: 'Further superquadrics',
    forms: [
      { type: 'supertoroid', label: 'Supertoroid', icon: 'ring' },
      { type: 'superhyperboloid1', label: 'Superhyperboloid, one sheet', icon: 'dent' },
      { type: 'superhyperboloid2', label: 'Superhyperboloid, two sheets', icon: 'bowls' },
    ],
  },
  {
    title: 'Simple and composed',
    forms: [
      { type: 'plane', label: 'Plane', icon: 'plane' },
      { type: 'point', label: 'Point', icon: 'point' },
      { type: 'segment', label: 'Segment', icon: 'segment' },
      { type: 'triangle', label: 'Triangle', icon: 'triangle' },
      { type: 'compound', label: 'Compound', icon: 'compound' },
    ],
  },
];

const ICONS = new Map(FORMS.flatMap(({ forms }) => forms.map(({ type, icon }) => [type, icon] as const)));

export function iconOf(type: ShapeType): IconName {
  return ICONS.get(type) ?? 'mesh';
}

type Triple = [number, number, number];
type Quad = [number, number, number, number];
const UPRIGHT: Quad = [0, 0, 0, 1];

export function newBody(id: number, type: ShapeType, count: number): Body {
  const angle = 2.4 * count;
  const place = { id, position: [2.2 * Math.cos(angle), 2.2 * Math.sin(angle), 0.8] as Triple, orientation: UPRIGHT };
  switch (type) {
    case 'superellipsoid':
      return { ...place, name: `Body ${id}`, type, radii: [0.8, 0.8, 0.8], exponents: [0.5, 0.5] };
    case 'superovoid':
      return { ...place, name: `Egg ${id}`, type, radii: [0.65, 0.65, 0.9], exponents: [1, 1], taper: [-0.2, -0.2] };
    case 'superhyperboloid1':
      return { ...place, name: `Hourglass ${id}`, type, radii: [0.4, 0.4, 0.6], exponents: [1, 1], height: 1 };
    case 'superhyperboloid2':
      return { ...place, name: `Bowls ${id}`, type, radii: [0.5, 0.5, 0.5], exponents: [1, 1], height: 1.2 };
    case 'supertoroid':
      return { ...place, name: `Ring ${id}`, type, radii: [0.3, 0.3, 0.3], exponents: [1, 1], hole: 2.6 };
    case 'plane':
      return { ...place, name: `Plane ${id}`, type, normal: [0, 0, 1], offset: 0, position: [0, 0, -1.2] };
    case 'point':
      return { ...place, name: `Point ${id}`, type };
    case 'segment':
      return { ...place, name: `Segment ${id}`, type, points: [[-0.7, 0, 0], [0.7, 0, 0]] };
    case 'triangle':
      return { ...place, name: `Triangle ${id}`, type, points: [[-0.8, -0.5, 0], [0.8, -0.5, 0], [0, 0.9, 0]] };
    case 'compound':
      return { ...place, name: `Dumbbell ${id}`, type, parts: dumbbell() };
    case 'mesh':
      return { ...place, name: `Mesh ${id}`, type, file: '' };
  }
}

function dumbbell(): Part[] {
  const part = (radii: Triple, exponents: [number, number], x: number): Part => ({
    type: 'superellipsoid', radii, exponents, position: [x, 0, 0], orientation: UPRIGHT,
  });
  return [part([0.45, 0.45, 0.45], [1, 1], -0.8), part([0.7, 0.16, 0.16], [1, 1], 0), part([0.45, 0.45, 0.45], [0.4, 0.4], 0.8)];
}

const SMALLEST = 0.02;
const LARGEST = 10;
const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
const times = (vector: Triple, factor: number): Triple => [vector[0] * factor, vector[1] * factor, vector[2] * factor];

/** The body made larger or smaller about its own origin. A mesh has the size of its file. */
export function scaled(body: Body, factor: number): Body {
  const within = (value: number) => clamp(value * factor, SMALLEST, LARGEST);
  const grown = <Form extends Body | Part>(form: Form): Form => ({
    ...form,
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

/** The range of a superhyperboloid's height, in metres. */
export function heightRange(body: Body): [number, number] {
  const a3 = body.radii?.[2] ?? 1;
  return body.type === 'superhyperboloid2' ? [1.02 * a3, 6 * a3] : [0.1 * a3, 6 * a3];
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
  return ['superellipsoid', 'superovoid', 'point', 'segment', 'triangle', 'compound'].includes(body.type);
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
  const { id: _id, name: _name, keys: _keys, parts, ...form } = body;
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
  if (body.type === 'point') return [body.points ?? [[0, 0, 0]]];
  if (body.type === 'segment') return [body.points ?? []];
  return (body.parts ?? []).filter(({ type }) => type === 'point' || type === 'segment').map((part) => {
    const turn = new Quaternion(...part.orientation).normalize();
    const points: Triple[] = part.points ?? [[0, 0, 0]];
    return points.map((point) => new Vector3(...point).applyQuaternion(turn).add(new Vector3(...part.position)).toArray());
  });
}
