// Generated from crates/superegg-apps by its test `typescript`: do not edit.

export const APP = 'cloth-table';
export const APP_VERSION = 1;

/**
 * What is on the table: all that can be saved.
 */
export type Table = {
/**
 * Vertices along each side of the cloth.
 */
side: number,
/**
 * Of the body.
 */
radii: [number, number, number],
/**
 * Of the body.
 */
exponents: [number, number], };

/**
 * Changes of the table.
 */
export type Edit = { "set": {
/**
 * What is on it.
 */
table: Table, } } | { "pause": {
/**
 * Whether to stop.
 */
paused: boolean, } };

/**
 * What a client has to know.
 */
export type Facts = {
/**
 * What to begin with.
 */
table: Table,
/**
 * Smallest and largest number of vertices along a side.
 */
sides: [number, number],
/**
 * Half the edge of the cloth, in metres.
 */
reach: number, };

/**
 * What is shown beside the frames.
 */
export type State = {
/**
 * Whether it stands still.
 */
paused: boolean,
/**
 * Why the simulation ended, if it did.
 */
halted: string | null, };
