// Generated from crates/superegg-apps by its test `typescript`: do not edit.

export const APP = 'terrain-cloth';
export const APP_VERSION = 1;

/**
 * What lies under the cloth and what the cloth is: all that can be undone, saved and sent.
 */
export type Landscape = {
/**
 * What people call it.
 */
name: string,
/**
 * What there is to see, for ready ones.
 */
about?: string,
/**
 * The bodies under the cloth.
 */
hills: Array<Hill>,
/**
 * Everything else.
 */
settings: Settings,
/**
 * Names this state among those of one client. A session that leaves a moment remembers how the cloth lay, and lays it so
 * again when it comes back.
 */
moment: number, };

/**
 * A superellipsoid under the cloth. It stands upright.
 */
export type Hill = {
/**
 * Unique within the landscape.
 */
id: number,
/**
 * Where its axis meets the table, in metres from the middle.
 */
position: [number, number],
/**
 * Half its length, width and height, in metres.
 */
radii: [number, number, number],
/**
 * Roundness across its axis and along it.
 */
exponents: [number, number],
/**
 * About its axis, in radians.
 */
turn: number,
/**
 * 0: its middle is on the table and half of it below; 1: it stands on the table.
 */
lift: number, };

/**
 * What is not a body.
 */
export type Settings = {
/**
 * What holds the cloth in the air.
 */
pins: Array<Clothespin>,
/**
 * What the cloth is made of.
 */
fabric: FabricSettings,
/**
 * Vertices along each side of the cloth.
 */
side: number,
/**
 * Air in motion.
 */
wind: Breeze,
/**
 * The cloth stays as it is, whatever happens under it.
 */
frozen: boolean,
/**
 * How often the cloth was dropped again.
 */
drops: number,
/**
 * How often it was smoothed.
 */
smooths: number, };

/**
 * Holds a place of the cloth in the air.
 */
export type Clothespin = {
/**
 * Unique within the landscape.
 */
id: number,
/**
 * Where on the cloth, in parts of its sides from 0 to 1.
 */
place: [number, number],
/**
 * Where in the air, in metres.
 */
at: [number, number, number], };

/**
 * What the cloth is made of.
 */
export type FabricSettings = {
/**
 * Against bending: 0 for silk, 1 for canvas.
 */
stiffness: number,
/**
 * Coefficient of friction.
 */
friction: number,
/**
 * In metres.
 */
thickness: number, };

/**
 * Air in motion along the table.
 */
export type Breeze = {
/**
 * In metres a second.
 */
speed: number,
/**
 * Where it goes, in radians from x to y.
 */
direction: number, };

/**
 * What is done.
 */
export type Edit = { "open": {
/**
 * All of it.
 */
landscape: Landscape,
/**
 * How the cloth lies: three sixteen-bit parts of the facts' box for each vertex, little-endian, in base 64.
 */
drape?: string, } } | { "change": {
/**
 * Of the landscape after the change.
 */
moment: number,
/**
 * Another name.
 */
name?: string,
/**
 * Bodies that are new or have changed.
 */
hills: Array<Hill>,
/**
 * Bodies that are gone.
 */
removed: Array<number>,
/**
 * Other settings.
 */
settings?: Settings, } } | { "walk": {
/**
 * Whether to walk.
 */
walking: boolean, } };

/**
 * Questions.
 */
export type Ask = { "export": {
/**
 * Which.
 */
format: ExportFormat, } } | { "landscape": Record<symbol, never> };

/**
 * Files for other programs.
 */
export type ExportFormat = "obj" | "glb" | "stl" | "heightmap";

/**
 * Answers.
 */
export type Reply = { "file": {
/**
 * What to call it.
 */
name: string,
/**
 * Its bytes.
 */
base64: string,
/**
 * Part of the cloth's area that lies under other parts and is not in the file.
 */
lost: number,
/**
 * Heights of black and white in a heightmap, in metres.
 */
heights: [number, number] | null, } } | { "landscape": Landscape };

/**
 * What a client has to know.
 */
export type Facts = {
/**
 * Ready landscapes; the first is what to begin with.
 */
gallery: Array<Landscape>,
/**
 * Half the edge of the table and of the cloth, in metres.
 */
reach: number,
/**
 * How far from the middle a body may be, in metres.
 */
farthest: number,
/**
 * Most bodies.
 */
most_hills: number,
/**
 * Most clothespins.
 */
most_pins: number,
/**
 * Smallest and largest radius, in metres.
 */
radii: [number, number],
/**
 * Smallest and largest exponent.
 */
exponents: [number, number],
/**
 * Fewest and most vertices along a side.
 */
sides: [number, number],
/**
 * Smallest and largest coefficient of friction.
 */
friction: [number, number],
/**
 * Thinnest and thickest cloth, in metres.
 */
thickness: [number, number],
/**
 * Fastest wind, in metres a second.
 */
wind: number,
/**
 * Lowest corner and size of the box in which the cloth is, in metres.
 */
box: [[number, number, number], [number, number, number]],
/**
 * Height of the walker, in metres of the table.
 */
walker: number, };

/**
 * What is shown beside the frames.
 */
export type State = {
/**
 * Nothing moves until something is done.
 */
resting: boolean,
/**
 * Whether somebody walks on it.
 */
walking: boolean,
/**
 * Why the cloth was laid back to where it was, if it was.
 */
halted: string | null, };
