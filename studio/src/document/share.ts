// A link that carries a document: its JSON, deflated, in the letters of an address. Nothing is stored anywhere.

/** Longest link, in letters: what browsers and chats take. */
export const LONGEST_LINK = 16_000;

export async function packed(document: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const deflated = new Uint8Array(await through(bytes, new CompressionStream('deflate-raw')));
  let text = '';
  for (const byte of deflated) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpacked(text: string): Promise<unknown> {
  const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const inflated = await through(bytes, new DecompressionStream('deflate-raw'));
  return JSON.parse(new TextDecoder().decode(inflated)) as unknown;
}

function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
}
