// Generated from crates/superegg-apps by its test `typescript`: do not edit.

import type { Body } from '../../shapes/body';

export const APP = 'contact-lab';
export const APP_VERSION = 1;

/**
 * Changes of the world.
 */
export type Edit = { "set_scene": {
/**
 * The new world.
 */
scene: Scene, } } | { "set_body": {
/**
 * The body.
 */
body: Body, } } | { "move": {
/**
 * Their new places.
 */
placements: Array<Placement>, } } | { "remove": {
/**
 * Which.
 */
id: number, } } | { "set_solver": {
/**
 * The new way.
 */
solver: Solver, } };

/**
 * Questions about the world.
 */
export type Ask = { "scene": Record<symbol, never> } | { "trace": {
/**
 * The two bodies.
 */
pair: [number, number], } } | { "plot": {
/**
 * The two bodies.
 */
pair: [number, number],
/**
 * How many times, evenly spread.
 */
samples: number, } } | { "previews": {
/**
 * Which body.
 */
id: number,
/**
 * Rows and columns.
 */
grid: number, } } | { "parse": {
/**
 * The lines.
 */
text: string, } } | { "export": {
/**
 * Which bodies; all that are shown where there are none.
 */
ids: Array<number>,
/**
 * `obj` or `glb`.
 */
format: ExportFormat, } };

/**
 * Files that other programs read.
 */
export type ExportFormat = "obj" | "glb";

/**
 * Answers to questions.
 */
export type Reply = { "scene": Scene } | { "trace": Trace } | { "plot": Plot } | { "previews": Record<symbol, never> } | { "parsed": Scene } | { "file": {
/**
 * What to call it.
 */
name: string,
/**
 * Its content.
 */
base64: string, } };

/**
 * What a client has to know about Contact Lab.
 */
export type Facts = {
/**
 * What a scene may hold.
 */
limits: PublicLimits,
/**
 * The methods to choose from.
 */
methods: Array<MethodFacts>,
/**
 * Scenes to start from.
 */
scenes: Array<Scene>, };

/**
 * The limits that a client can run into.
 */
export type PublicLimits = {
/**
 * Bodies of a scene.
 */
bodies: number,
/**
 * Keys of a motion.
 */
keys: number,
/**
 * Samples of a plot.
 */
samples: number,
/**
 * Rows and columns of previews.
 */
preview_grid: number,
/**
 * Triangles of one mesh.
 */
mesh_triangles: number,
/**
 * Parts of a compound.
 */
parts: number,
/**
 * Points of the hulls of a body.
 */
hull_points: number, };

/**
 * Everything a client works on; also what is saved as a file.
 */
export type Scene = {
/**
 * What people call it.
 */
name: string,
/**
 * One sentence about what there is to see.
 */
about?: string,
/**
 * The bodies, each with its own id.
 */
bodies: Array<Body>,
/**
 * How contacts are computed.
 */
solver: Solver,
/**
 * Length of the motion in seconds.
 */
duration: number,
/**
 * The files that bodies name, by the hashes of their contents: equal names may mean different files elsewhere.
 */
files?: { [key in string]: string }, };

/**
 * A body's new place.
 */
export type Placement = {
/**
 * Which body.
 */
id: number,
/**
 * Where its frame is.
 */
position: [number, number, number],
/**
 * How its frame is turned.
 */
orientation: [number, number, number, number], };

/**
 * How contacts are computed.
 */
export type Solver = {
/**
 * A name among the methods of [`Facts`].
 */
method: string,
/**
 * The method's tolerance; the default's is the width of the certified interval over the size of the pair.
 */
tolerance: number, };

/**
 * A method of computing contacts.
 */
export type MethodFacts = {
/**
 * As in `superegg query`.
 */
name: string,
/**
 * For people.
 */
title: string,
/**
 * How it works and where it comes from.
 */
about: string,
/**
 * The tolerance it is meant for.
 */
tolerance: number, };

/**
 * The computed state of a world.
 */
export type Contacts = {
/**
 * In the order of the scene.
 */
bodies: Array<BodyFacts>,
/**
 * Every pair, in the order of the scene.
 */
pairs: Array<Contact>, };

/**
 * What the constructor found out about a body.
 */
export type BodyFacts = {
/**
 * Which body.
 */
id: number,
/**
 * Whether it is convex; exact for superellipsoids and superovoids, false for all that is made of pieces.
 */
convex: boolean,
/**
 * Parts of a compound or triangles of a mesh.
 */
pieces: number | null,
/**
 * Cubic metres; none where a shape has no volume or an infinite one.
 */
volume: number | null, };

/**
 * What was asked of a pair.
 */
export type Contact = {
/**
 * First body.
 */
a: number,
/**
 * Second body.
 */
b: number,
/**
 * The contact; none when the method does not take the pair or failed.
 */
answer: Answer | null,
/**
 * Why there is no answer.
 */
refusal: string | null, };

/**
 * The contact of a pair.
 */
export type Answer = {
/**
 * Signed, in metres.
 */
distance: number,
/**
 * The distance is certified to be at least this.
 */
lower: number | null,
/**
 * The distance is certified to be at most this.
 */
upper: number | null,
/**
 * Closest or deepest point of a.
 */
point_a: [number, number, number],
/**
 * Closest or deepest point of b.
 */
point_b: [number, number, number],
/**
 * Unit vector from a to b.
 */
normal: [number, number, number],
/**
 * Two unit vectors at right angles to the normal and each other.
 */
tangents: [[number, number, number], [number, number, number]],
/**
 * How the query ended.
 */
status: PairStatus,
/**
 * Evaluations or iterations, as the method counts them.
 */
iterations: number,
/**
 * Time of one query.
 */
nanoseconds: number, };

/**
 * How a query ended; the words of `superegg query`.
 */
export type PairStatus = "separated" | "touching" | "penetrating" | "not_converged";

/**
 * Distance and time over a motion; the lists are equally long.
 */
export type Plot = {
/**
 * The two bodies.
 */
pair: [number, number],
/**
 * Seconds.
 */
times: Array<number>,
/**
 * Signed distances; none where the method failed.
 */
distances: Array<number | null>,
/**
 * Time of each query.
 */
nanoseconds: Array<number | null>,
/**
 * Iterations of each query.
 */
iterations: Array<number | null>,
/**
 * The moments at which the bodies come into contact, in order.
 */
impacts: Array<Impact>,
/**
 * Why such moments cannot be told for this pair.
 */
impact_refusal: string | null, };

/**
 * A moment at which two bodies come into contact.
 */
export type Impact = {
/**
 * Seconds; proved not to be late, and as early as the tolerance allows.
 */
time: number,
/**
 * Where they meet.
 */
point: [number, number, number],
/**
 * Unit vector from the first to the second body.
 */
normal: [number, number, number],
/**
 * Distance queries it took to find the moment.
 */
queries: number,
/**
 * Time it took.
 */
nanoseconds: number, };

/**
 * A method's way to its answer.
 */
export type Trace = {
/**
 * The method that was traced.
 */
method: string,
/**
 * The two bodies.
 */
pair: [number, number],
/**
 * In order.
 */
steps: Array<TraceStep>,
/**
 * Steps that were left out because there were too many.
 */
omitted: number,
/**
 * How numbers changed from step to step.
 */
curves: Array<Curve>, };

/**
 * One step.
 */
export type TraceStep = {
/**
 * Two or three words.
 */
title: string,
/**
 * What happened, with its numbers.
 */
text: string,
/**
 * What it looks like, in the world.
 */
drawings: Array<Drawing>, };

/**
 * Something to draw, in world coordinates.
 */
export type Drawing = { "point": {
/**
 * Where.
 */
at: [number, number, number],
/**
 * What it means.
 */
role: Role, } } | { "line": {
/**
 * Its vertices.
 */
points: Array<[number, number, number]>,
/**
 * What it means.
 */
role: Role, } } | { "arrow": {
/**
 * Its foot.
 */
at: [number, number, number],
/**
 * A unit vector.
 */
direction: [number, number, number],
/**
 * What it means.
 */
role: Role, } } | { "edges": {
/**
 * Their ends, two and two.
 */
points: Array<[number, number, number]>,
/**
 * What they mean.
 */
role: Role, } } | { "cell": {
/**
 * Its centre.
 */
center: [number, number, number],
/**
 * Half its edges.
 */
half: [number, number, number],
/**
 * How it is turned.
 */
orientation: [number, number, number, number],
/**
 * What it means.
 */
role: Role, } };

/**
 * What a drawing means; the front end gives each its colour.
 */
export type Role = "a" | "b" | "answer" | "candidate" | "chosen" | "final";

/**
 * How a number changed from step to step.
 */
export type Curve = {
/**
 * What it is.
 */
name: string,
/**
 * Whether it is best seen on a logarithmic scale.
 */
log: boolean,
/**
 * One value a step; none where the step has none.
 */
values: Array<number | null>, };
