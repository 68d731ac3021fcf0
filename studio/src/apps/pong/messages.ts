// Generated from crates/superegg-apps by its test `typescript`: do not edit.

export const APP = 'pong';
export const APP_VERSION = 1;

/**
 * How a match is played: all that is kept.
 */
export type Match = {
/**
 * Who plays on the right.
 */
right: Opponent,
/**
 * Points to win, 1 to 21.
 */
points: number, };

/**
 * Who plays on the right.
 */
export type Opponent = "person" | "easy" | "medium" | "hard";

/**
 * What is done to a match.
 */
export type Edit = { "begin": {
/**
 * How.
 */
match: Match, } } | { "serve": Record<symbol, never> } | { "pause": {
/**
 * Whether to stop.
 */
paused: boolean, } } | { "leave": Record<symbol, never> };

/**
 * What a client has to know to draw the court and to move paddles as the session does.
 */
export type Facts = {
/**
 * Half the width and half the height of the court, in metres.
 */
court: [number, number],
/**
 * Distance of the paddles' line from the middle.
 */
line: number,
/**
 * Half the length of a paddle.
 */
paddle: number,
/**
 * Half its thickness.
 */
thickness: number,
/**
 * Largest tilt, in radians.
 */
tilt: number,
/**
 * How fast a paddle moves, in metres a second, and turns, in radians a second.
 */
speed: [number, number],
/**
 * Seconds of a step.
 */
dt: number, };

/**
 * Where a match stands.
 */
export type State = {
/**
 * What happens.
 */
phase: Phase,
/**
 * How it is played.
 */
match: Match,
/**
 * Points of the left and the right player.
 */
score: [number, number],
/**
 * Who serves: 0 left, 1 right.
 */
server: number,
/**
 * Hits of the present rally.
 */
rally: number, };

/**
 * What happens in a match.
 */
export type Phase = "start" | "serve" | "play" | "paused" | "over";

/**
 * What is heard and must not be missed.
 */
export type Event = { "bounce": {
/**
 * Whose paddle: 0 left, 1 right; none for a wall.
 */
paddle: number | null,
/**
 * Where, in metres.
 */
at: [number, number],
/**
 * How hard, in metres a second.
 */
speed: number, } } | { "point": {
/**
 * Who: 0 left, 1 right.
 */
by: number,
/**
 * Both players' points.
 */
score: [number, number], } } | { "won": {
/**
 * Who: 0 left, 1 right.
 */
by: number, } };
