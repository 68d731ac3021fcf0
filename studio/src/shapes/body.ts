// Generated from crates/superegg-apps by its test `typescript`: do not edit.


/**
 * A shape, where it is, and how it moves.
 */
export type Body = Part & {
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
 * Colour as `#rrggbb`; the palette's where there is none.
 */
colour?: string,
/**
 * Not shown and not asked for contacts.
 */
hidden?: boolean,
/**
 * Not moved or shaped by hands.
 */
locked?: boolean,
 };

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
 * Box: half of its sides.
 */
half_extents?: [number, number, number],
/**
 * Sphere, cylinder, cone (of its base, at z = −half_height) and capsule.
 */
radius?: number,
/**
 * Cylinder, cone, capsule (of its straight part) and frustum: half of the height along z.
 */
half_height?: number,
/**
 * Frustum: the radii at z = −half_height and z = half_height.
 */
end_radii?: [number, number],
/**
 * Box to hull: everything within this of the sharp body belongs to it, too.
 */
rounding?: number,
/**
 * Segment (two), triangle (three) and hull (four or more); a point may have one.
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
export type ShapeType = "superellipsoid" | "superovoid" | "plane" | "point" | "segment" | "triangle" | "box" | "sphere" | "cylinder" | "cone" | "capsule" | "frustum" | "hull" | "superhyperboloid1" | "superhyperboloid2" | "supertoroid" | "compound" | "mesh";

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
