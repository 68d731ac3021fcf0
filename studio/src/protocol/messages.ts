// Generated from crates/superegg-studio/src/protocol by its test `typescript`: do not edit.

export const VERSION = 2;

/**
 * What a browser may say. Edits carry a revision, which the contacts computed from them repeat; requests carry a number
 * of the client's choice, which their answer repeats.
 */
export type ClientMessage = { "hello": {
/**
 * [`VERSION`](super::VERSION)
 */
version: number, } } | { "set_scene": {
/**
 * Of this edit.
 */
revision: number,
/**
 * The new world.
 */
scene: Scene, } } | { "set_body": {
/**
 * Of this edit.
 */
revision: number,
/**
 * The body.
 */
body: Body, } } | { "move": {
/**
 * Of this edit.
 */
revision: number,
/**
 * Their new places.
 */
placements: Array<Placement>, } } | { "remove": {
/**
 * Of this edit.
 */
revision: number,
/**
 * Which.
 */
id: number, } } | { "set_solver": {
/**
 * Of this edit.
 */
revision: number,
/**
 * The new way.
 */
solver: Solver, } } | { "get_scene": {
/**
 * Repeated in the answer.
 */
request: number, } } | { "get_trace": {
/**
 * Repeated in the answer.
 */
request: number,
/**
 * The two bodies.
 */
pair: [number, number], } } | { "get_plot": {
/**
 * Repeated in the answer.
 */
request: number,
/**
 * The two bodies.
 */
pair: [number, number],
/**
 * How many times, evenly spread.
 */
samples: number, } } | { "get_previews": {
/**
 * Repeated in the frames.
 */
request: number,
/**
 * Which body.
 */
id: number,
/**
 * Rows and columns.
 */
grid: number, } } | { "parse": {
/**
 * Repeated in the answer.
 */
request: number,
/**
 * The lines.
 */
text: string, } } | { "ping": {
/**
 * Repeated in the answer.
 */
request: number, } };

/**
 * What the server may say.
 */
export type ServerMessage = { "welcome": Welcome } | { "contacts": Contacts } | { "scene": {
/**
 * As asked.
 */
request: number,
/**
 * Of the last edit.
 */
revision: number,
/**
 * The world.
 */
scene: Scene, } } | { "trace": {
/**
 * As asked.
 */
request: number,
/**
 * What the method did.
 */
trace: Trace, } } | { "plot": {
/**
 * As asked.
 */
request: number,
/**
 * The plot.
 */
plot: Plot, } } | { "parsed": {
/**
 * As asked.
 */
request: number,
/**
 * What the lines say.
 */
scene: Scene, } } | { "meshes": {
/**
 * As asked.
 */
request: number,
/**
 * Every mesh that the server holds for this client, the new one included. One that no body needs may be
 * given up for a later one.
 */
meshes: Array<MeshFacts>, } } | { "pong": {
/**
 * As asked.
 */
request: number, } } | { "failure": Failure };

/**
 * What a client has to know about the server.
 */
export type Welcome = {
/**
 * Of the protocol.
 */
version: number,
/**
 * Of the program.
 */
program: string,
/**
 * What the client may ask for.
 */
limits: PublicLimits,
/**
 * The methods it may choose from.
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
 * Bytes of a message.
 */
message_bytes: number,
/**
 * Bytes of a mesh's file.
 */
mesh_bytes: number,
/**
 * Triangles of one mesh.
 */
mesh_triangles: number,
/**
 * Parts of a compound.
 */
parts: number, };

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
duration: number, };

/**
 * A shape, where it is, and how it moves.
 */
export type Body = {
/**
 * Unique within the scene.
 */
id: number,
/**
 * What people call it.
 */
name: string,
/**
 * Where it is at which time, in order; empty when it rests.
 */
keys?: Array<Key>,
/**
 * Which of the fields below the shape has.
 */
type: ShapeType,
/**
 * Of every superquadric.
 */
radii?: [number, number, number],
/**
 * Of every superquadric.
 */
exponents?: [number, number],
/**
 * Superovoid.
 */
taper?: [number, number],
/**
 * Superhyperboloid: it ends at z = ±height.
 */
height?: number,
/**
 * Supertoroid: the radius of its centre line, in tube radii.
 */
hole?: number,
/**
 * Segment (two) and triangle (three); a point may have one.
 */
points?: Array<[number, number, number]>,
/**
 * Compound: what it is made of, in its own frame.
 */
parts?: Array<Part>,
/**
 * Mesh: the name of a file that was sent before.
 */
file?: string,
/**
 * Plane.
 */
normal?: [number, number, number],
/**
 * Plane.
 */
offset?: number,
/**
 * Where its frame is.
 */
position: [number, number, number],
/**
 * How its frame is turned.
 */
orientation: [number, number, number, number], };

/**
 * A shape on the frame of a compound body: any but a plane, a superhyperboloid, a supertoroid, a mesh or another compound.
 */
export type Part = {
/**
 * Which of the fields below the shape has.
 */
type: ShapeType,
/**
 * Of every superquadric.
 */
radii?: [number, number, number],
/**
 * Of every superquadric.
 */
exponents?: [number, number],
/**
 * Superovoid.
 */
taper?: [number, number],
/**
 * Superhyperboloid: it ends at z = ±height.
 */
height?: number,
/**
 * Supertoroid: the radius of its centre line, in tube radii.
 */
hole?: number,
/**
 * Segment (two) and triangle (three); a point may have one.
 */
points?: Array<[number, number, number]>,
/**
 * Compound: what it is made of, in its own frame.
 */
parts?: Array<Part>,
/**
 * Mesh: the name of a file that was sent before.
 */
file?: string,
/**
 * Plane.
 */
normal?: [number, number, number],
/**
 * Plane.
 */
offset?: number,
/**
 * Where its frame is.
 */
position: [number, number, number],
/**
 * How its frame is turned.
 */
orientation: [number, number, number, number], };

/**
 * The shapes of the format that the studio takes.
 */
export type ShapeType = "superellipsoid" | "superovoid" | "plane" | "point" | "segment" | "triangle" | "superhyperboloid1" | "superhyperboloid2" | "supertoroid" | "compound" | "mesh";

/**
 * Where a moving body is at one time.
 */
export type Key = {
/**
 * Seconds from the start.
 */
time: number,
/**
 * Where its frame is.
 */
position: [number, number, number],
/**
 * How its frame is turned.
 */
orientation: [number, number, number, number], };

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
 * A name among the methods of [`Welcome`](super::Welcome).
 */
method: string,
/**
 * The method's tolerance; the default's is the width of the certified interval over the size of the pair.
 */
tolerance: number, };

/**
 * The computed state of a world.
 */
export type Contacts = {
/**
 * Of the edit that this state includes.
 */
revision: number,
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
 * A mesh that the server holds.
 */
export type MeshFacts = {
/**
 * Name of its file.
 */
file: string,
/**
 * How many.
 */
vertices: number,
/**
 * How many.
 */
triangles: number, };

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

/**
 * A message that was not carried out.
 */
export type Failure = {
/**
 * Of the request, where it had one.
 */
request: number | null,
/**
 * Of the edit, where it was one.
 */
revision: number | null,
/**
 * What went wrong.
 */
kind: ErrorKind,
/**
 * Path of the field to mend.
 */
field: string | null,
/**
 * One sentence for people.
 */
message: string, };

/**
 * What went wrong with a message.
 */
export type ErrorKind = "parse" | "invalid_input" | "unsupported" | "protocol" | "limit" | "internal";
