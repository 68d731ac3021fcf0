// Generated from crates/superegg-apps by its test `typescript`: do not edit.

export const VERSION = 3;

/**
 * What a client may say. What an edit or a question is about is the app's own, and read in a second step.
 */
export type ClientMessage = { "hello": {
/**
 * [`VERSION`](super::VERSION)
 */
version: number,
/**
 * Name of the app.
 */
app: string,
/**
 * Version of the app's messages.
 */
app_version: number,
/**
 * Of the printed link, where one is needed.
 */
token?: string, } } | { "edit": {
/**
 * Repeated in the state that includes it; grows.
 */
revision: number,
/**
 * The app's own.
 */
edit: unknown, } } | { "ask": {
/**
 * Repeated in the answer.
 */
request: number,
/**
 * The app's own.
 */
ask: unknown, } } | { "cancel": {
/**
 * Which.
 */
request: number, } } | { "ping": {
/**
 * Repeated in the answer.
 */
request: number, } };

/**
 * What a session's host may say.
 */
export type ServerMessage = { "welcome": Welcome } | { "state": {
/**
 * Of the last edit in it.
 */
revision: number,
/**
 * The app's own.
 */
state: unknown, } } | { "answer": {
/**
 * As asked.
 */
request: number,
/**
 * The app's own.
 */
answer: unknown, } } | { "replaced": {
/**
 * Which.
 */
request: number, } } | { "event": {
/**
 * The app's own.
 */
event: unknown, } } | { "load": {
/**
 * How many are to be served before it, itself included; 0: it runs.
 */
place: number, } } | { "files": {
/**
 * As asked.
 */
request: number,
/**
 * Every one.
 */
held: Array<FileFacts>, } } | { "pong": {
/**
 * As asked.
 */
request: number, } } | { "failure": Failure };

/**
 * What a client has to know about its host.
 */
export type Welcome = {
/**
 * Of the platform's messages.
 */
version: number,
/**
 * Of the program.
 */
program: string,
/**
 * What the client may send.
 */
limits: WireLimits,
/**
 * The app's own.
 */
facts: unknown, };

/**
 * How long messages may be. A client checks before it sends.
 */
export type WireLimits = {
/**
 * Bytes of an edit.
 */
edit_bytes: number,
/**
 * Bytes of a question.
 */
ask_bytes: number,
/**
 * Bytes of a file.
 */
file_bytes: number, };

/**
 * A file that is held.
 */
export type FileFacts = {
/**
 * Its name.
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
