// Generated from crates/superegg-apps by its test `typescript`: do not edit.

export const APP = 'multibody-sketcher';
export const APP_VERSION = 1;

/**
 * An articulated body: all that can be undone, saved and sent. Places are where things are at rest, in metres.
 */
export type Creature = {
/**
 * What people call it.
 */
name: string,
/**
 * What there is to see, for ready ones.
 */
about?: string,
/**
 * Where bones meet and end.
 */
joints: Array<Joint>,
/**
 * The first of what hangs together is its root; the others lead away from it.
 */
bones: Array<Bone>,
/**
 * What others meet of the bones.
 */
hitboxes: Array<Hitbox>,
/**
 * Meshes beside the skeleton, to be fitted or traced.
 */
meshes?: Array<Backdrop>,
/**
 * How it stands.
 */
stance: Stance,
/**
 * How it moves, in order of time.
 */
keys: Array<Keyframe>,
/**
 * What is drawn on one side comes on the other, too: the plane between them is x = 0.
 */
mirror: boolean, };

/**
 * Where bones meet or end.
 */
export type Joint = {
/**
 * Unique among joints.
 */
id: number,
/**
 * At rest.
 */
position: [number, number, number], };

/**
 * A rigid part between two joints. It turns about the first.
 */
export type Bone = {
/**
 * Unique among bones.
 */
id: number,
/**
 * Unique among bones.
 */
name: string,
/**
 * The joint nearer to the root.
 */
from: number,
/**
 * The other joint.
 */
to: number,
/**
 * How it turns.
 */
articulation: Articulation, };

/**
 * Three turns about axes of a frame, one after the other: bend about x, sway about y, twist about z.
 */
export type Articulation = {
/**
 * The frame at rest; z mostly runs along the bone.
 */
axes: [number, number, number, number],
/**
 * Least and greatest angle of each turn, in radians; both zero where it does not turn.
 */
ranges: [[number, number], [number, number], [number, number]], };

/**
 * A superellipsoid or superovoid on a bone.
 */
export type Hitbox = {
/**
 * Unique among hitboxes.
 */
id: number,
/**
 * The bone that it is rigidly part of.
 */
bone: number,
/**
 * Its middle at rest.
 */
position: [number, number, number],
/**
 * At rest.
 */
orientation: [number, number, number, number],
/**
 * Half its size along its own axes.
 */
radii: [number, number, number],
/**
 * Roundness across z and along it.
 */
exponents: [number, number],
/**
 * How much it narrows along z; zeros for a superellipsoid.
 */
taper: [number, number], };

/**
 * A mesh of a file that was sent.
 */
export type Backdrop = {
/**
 * Unique among meshes.
 */
id: number,
/**
 * Name of the file.
 */
file: string,
/**
 * Hash of its content, for the client.
 */
hash: string,
/**
 * The bone that it moves with; none for what stays.
 */
bone?: number,
/**
 * At rest.
 */
position: [number, number, number],
/**
 * At rest.
 */
orientation: [number, number, number, number],
/**
 * Along its own axes.
 */
scale: [number, number, number], };

/**
 * Where the root is, and how the bones are turned.
 */
export type Stance = {
/**
 * How far the whole was moved from where it is at rest.
 */
position: [number, number, number],
/**
 * How the whole is turned about the root's first joint.
 */
orientation: [number, number, number, number],
/**
 * Bones that are turned; others are at rest.
 */
turns: Array<Turn>, };

/**
 * How a bone is turned.
 */
export type Turn = {
/**
 * Which.
 */
bone: number,
/**
 * Bend, sway and twist, in radians.
 */
angles: [number, number, number], };

/**
 * A stance at a time.
 */
export type Keyframe = {
/**
 * Seconds from the start.
 */
time: number,
/**
 * How it stands then.
 */
stance: Stance, };

/**
 * A line that a finger drew in a view, seen straight along an axis of the eye.
 */
export type Stroke = {
/**
 * What is to the right in the view, a unit vector.
 */
right: [number, number, number],
/**
 * What is up in the view, a unit vector across it.
 */
up: [number, number, number],
/**
 * Places passed, in metres along both.
 */
points: Array<[number, number]>,
/**
 * How far a finger may miss what it means, in metres.
 */
reach: number, };

/**
 * What is done.
 */
export type Edit = { "open": {
/**
 * All of it.
 */
creature: Creature, } } | { "change": {
/**
 * Another name.
 */
name?: string,
/**
 * Joints that moved.
 */
joints: Array<Joint>,
/**
 * Bones that turn in another way or have another name.
 */
bones: Array<Bone>,
/**
 * Hitboxes that are new or have changed.
 */
hitboxes: Array<Hitbox>,
/**
 * Hitboxes that are gone.
 */
removed: Array<number>,
/**
 * All meshes.
 */
meshes?: Array<Backdrop>,
/**
 * How it stands.
 */
stance?: Stance,
/**
 * All keyframes.
 */
keys?: Array<Keyframe>,
/**
 * Whether it is drawn on both sides.
 */
mirror?: boolean, } } | { "show": {
/**
 * How.
 */
show: Show, } };

/**
 * What is shown of a creature.
 */
export type Show = { "rest": Record<symbol, never> } | { "posed": Record<symbol, never> } | { "playing": {
/**
 * Seconds at which to begin.
 */
from: number, } } | { "physics": {
/**
 * Its root is held; otherwise it falls.
 */
hang: boolean, } };

/**
 * Questions.
 */
export type Ask = { "bones": {
/**
 * What was drawn.
 */
stroke: Stroke, } } | { "split": {
/**
 * Which bone.
 */
bone: number,
/**
 * Near which place.
 */
at: [number, number, number], } } | { "remove": {
/**
 * Joints, with the bones that meet there.
 */
joints: Array<number>,
/**
 * Bones, with what is on them.
 */
bones: Array<number>, } } | { "hitbox": {
/**
 * What was drawn.
 */
stroke: Stroke, } } | { "reach": {
/**
 * The joint.
 */
joint: number,
/**
 * The place.
 */
to: [number, number, number],
/**
 * How it stands before.
 */
stance: Stance, } } | { "follow": {
/**
 * The line.
 */
stroke: Stroke,
/**
 * How it stands before.
 */
stance: Stance, } } | { "at": {
/**
 * Seconds from the start.
 */
time: number, } } | { "fit": {
/**
 * The bone.
 */
bone: number,
/**
 * The hitbox that is replaced; otherwise one is added.
 */
hitbox?: number, } } | { "import": {
/**
 * A URDF file's text.
 */
text: string, } } | { "export": {
/**
 * Which.
 */
format: ExportFormat, } } | { "creature": Record<symbol, never> };

/**
 * Files for other programs.
 */
export type ExportFormat = "urdf" | "urdf_compat" | "mjcf" | "collada" | "glb" | "scene";

/**
 * Answers.
 */
export type Reply = { "drawn": {
/**
 * All of it; none when nothing came of it.
 */
creature: Creature | null,
/**
 * Hitboxes that are new.
 */
hitboxes: Array<number>,
/**
 * What to say about it.
 */
hint: string | null, } } | { "stance": {
/**
 * All of it.
 */
stance: Stance,
/**
 * What to say about it.
 */
hint: string | null, } } | { "imported": {
/**
 * As a creature; its meshes are still without a content.
 */
creature: Creature,
/**
 * What was not taken over, a line each.
 */
notes: Array<string>, } } | { "file": {
/**
 * What to call it.
 */
name: string,
/**
 * Its bytes, in base 64.
 */
base64: string, } } | { "creature": Creature };

/**
 * What a client has to know.
 */
export type Facts = {
/**
 * Ready creatures.
 */
gallery: Array<Creature>,
/**
 * Ways in which bones commonly turn.
 */
presets: Array<Preset>,
/**
 * Most bones.
 */
most_bones: number,
/**
 * Most hitboxes.
 */
most_hitboxes: number,
/**
 * Most keyframes.
 */
most_keys: number,
/**
 * Longest animation, in seconds.
 */
longest: number,
/**
 * Smallest and largest radius, in metres.
 */
radii: [number, number],
/**
 * Smallest and largest exponent.
 */
exponents: [number, number],
/**
 * Strongest taper.
 */
taper: number,
/**
 * How far from the middle anything may be, in metres.
 */
farthest: number, };

/**
 * A way in which bones commonly turn.
 */
export type Preset = {
/**
 * What it is called.
 */
name: string,
/**
 * Least and greatest angle of each turn, in radians.
 */
ranges: [[number, number], [number, number], [number, number]], };

/**
 * What is shown beside the frames.
 */
export type State = {
/**
 * What is shown.
 */
show: Show,
/**
 * Where bones are, as what was moved from rest; empty while frames tell it.
 */
places: Array<Place>,
/**
 * Bones that are close to each other or overlap, but are not neighbours.
 */
contacts: Array<Contact>,
/**
 * Why physics was left, if it was.
 */
halted: string | null, };

/**
 * How a bone was moved from where it is at rest: turned about the origin, then shifted.
 */
export type Place = {
/**
 * Which.
 */
bone: number,
/**
 * Shifted by.
 */
position: [number, number, number],
/**
 * Turned by.
 */
orientation: [number, number, number, number], };

/**
 * Two bones that are close.
 */
export type Contact = {
/**
 * The bones.
 */
bones: [number, number],
/**
 * Between their nearest hitboxes, in metres; negative for a depth.
 */
distance: number,
/**
 * The nearest or deepest points.
 */
points: [[number, number, number], [number, number, number]], };
