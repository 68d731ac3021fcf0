// The token of the printed link: it comes in the address's fragment, which browsers send nowhere, and is kept for this origin.

const KEY = 'superegg.token';

/** Takes the token out of the address, so that it stays neither in view nor in the history. */
export function takeToken(): void {
  const found = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!found) return;
  try {
    window.localStorage.setItem(KEY, found);
  } catch {
    // Then it lasts as long as the window.
  }
  remembered = found;
  history.replaceState(null, '', `${location.pathname}#/`);
}

let remembered: string | null = null;

export function token(): string | null {
  try {
    return remembered ?? window.localStorage.getItem(KEY);
  } catch {
    return remembered;
  }
}
