// Between the studio and the rest of the machine: downloads, chosen files, the clipboard.

/** Offers a file. */
export function download(name: string, content: string | Uint8Array<ArrayBuffer> | Blob, type = 'application/json'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export const MESH_FILES = '.obj,.stl,.ply';
export const SCENE_FILES = '.json,application/json';

/** Lets the user choose a file; null when none was chosen. */
export function pickFile(accept: string): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.hidden = true;
    const chosen = () => {
      input.remove();
      resolve(input.files?.[0] ?? null);
    };
    input.onchange = chosen;
    input.oncancel = chosen;
    // In the document: an element that nothing holds may be collected while its dialog is open, and the choice with it.
    document.body.append(input);
    input.click();
  });
}

/** Takes files that are dropped on the window. */
export function takeDroppedFiles(take: (files: File[]) => void): () => void {
  const over = (event: DragEvent) => {
    event.preventDefault();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) take(files);
  };
  window.addEventListener('dragover', over);
  window.addEventListener('drop', drop);
  return () => {
    window.removeEventListener('dragover', over);
    window.removeEventListener('drop', drop);
  };
}

/** Copies a text. Pages on plain http have no clipboard: there the text is selected in a field and copied the old way. */
export async function copyText(text: string): Promise<boolean> {
  // Absent outside of secure contexts, whatever the types say.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // Then as below.
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // In a dialog that is open, what is outside of it cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way on plain http
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

/** The text on the clipboard; null where the browser does not tell it. */
export async function pastedText(): Promise<string | null> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  try {
    return (await clipboard?.readText()) ?? null;
  } catch {
    return null;
  }
}
