// A line that comes and goes: what happened, or what was wrong.

import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

export interface Said {
  text: string;
  kind: 'info' | 'error';
}

export function Notice({ notice }: { notice: Signal<Said | null> }): JSX.Element | null {
  const said = notice.value;
  useEffect(() => {
    if (!said) return undefined;
    const timer = window.setTimeout(() => {
      notice.value = null;
    }, said.kind === 'error' ? 8000 : 2500);
    return () => {
      window.clearTimeout(timer);
    };
  }, [said]);
  return said && <div class={`notice ${said.kind}`} role="status">{said.text}</div>;
}
