// The controls that every page is made of.

import './controls.css';

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { Icon, type IconName } from './icons';

interface ButtonProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  /** Shows the label beside the icon. */
  wordy?: boolean;
  /** What is shown instead of the label. */
  text?: string;
  /** What a dialog is there for. */
  primary?: boolean;
  /** More about it, for whoever rests on it. */
  about?: string;
}

export function Button({ icon, label, onClick, disabled, pressed, wordy, text, primary, about }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`button${wordy ? ' wordy' : ''}${primary ? ' primary' : ''}`}
      title={about ? `${label}: ${about}` : label}
      aria-label={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      {wordy && <span>{text ?? label}</span>}
    </button>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; label: string; icon: IconName }[];
  onChange: (value: Value) => void;
}

export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>): JSX.Element {
  return (
    <div class="choice" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          title={option.label}
          onClick={() => {
            onChange(option.value);
          }}
        >
          <Icon name={option.icon} />
          <span>{option.label}</span>
        </button>
      ))}
    </div>
  );
}

interface SliderProps {
  /** In plain words. */
  label: string;
  /** As in formulas. */
  symbol?: string;
  value: number;
  min: number;
  max: number;
  /** Even steps of the logarithm. */
  log?: boolean;
  unit?: string;
  digits?: number;
  onBegin: () => void;
  onInput: (value: number) => void;
  onCommit: () => void;
}

const STEPS = 1000;

/** A slider with its number, which can be typed too. */
export function Slider({ label, symbol, value, min, max, log, unit, digits = 3, onBegin, onInput, onCommit }: SliderProps): JSX.Element {
  const toPart = (v: number) => (log ? Math.log(v / min) / Math.log(max / min) : (v - min) / (max - min));
  const fromPart = (p: number) => (log ? min * (max / min) ** p : min + (max - min) * p);
  const within = (v: number) => Math.min(Math.max(v, min), max);
  const part = Math.min(Math.max(toPart(value), 0), 1);
  const round = (v: number) => Number(v.toFixed(digits + 1));
  // One gesture from the first change to the end of the drag, whatever the order of the browser's events.
  const open = useRef(false);
  const begin = () => {
    if (!open.current) onBegin();
    open.current = true;
  };
  const finish = () => {
    if (open.current) onCommit();
    open.current = false;
  };
  return (
    <label class="slider">
      <span class="slider-label" title={symbol}>{label}</span>
      <input
        type="range"
        aria-label={label}
        min={0}
        max={STEPS}
        step={1}
        value={part * STEPS}
        style={{ '--part': `${100 * part}%` }}
        onPointerDown={begin}
        onPointerUp={finish}
        onPointerCancel={finish}
        onBlur={finish}
        onInput={(event) => {
          begin();
          onInput(round(within(fromPart(Number(event.currentTarget.value) / STEPS))));
        }}
        onChange={finish}
      />
      <Numeric label={`${label} value`} value={value} digits={digits} unit={unit} onChange={(typed) => {
        begin();
        onInput(within(typed));
        finish();
      }} />
    </label>
  );
}

interface NumericProps {
  label: string;
  value: number;
  digits: number;
  unit?: string | undefined;
  onChange: (value: number) => void;
}

/** A number that is read when it is finished. */
export function Numeric({ label, value, digits, unit, onChange }: NumericProps): JSX.Element {
  const [draft, setDraft] = useState<string | null>(null);
  // Read from the field itself: a busy page may not have drawn the last letter yet.
  const typed = useRef(false);
  const finish = (text: string) => {
    const number = Number(text.replace(',', '.').replace('−', '-'));
    const changed = typed.current && text.trim() !== '';
    typed.current = false;
    setDraft(null);
    if (changed && Number.isFinite(number)) onChange(number);
  };
  return (
    <span class="numeric">
      <input
        type="text"
        inputMode="decimal"
        aria-label={label}
        value={draft ?? shown(value, digits)}
        onFocus={(event) => {
          const field = event.currentTarget;
          // Selecting takes the focus, which may have gone elsewhere by then.
          requestAnimationFrame(() => {
            if (document.activeElement === field) field.select();
          });
        }}
        onInput={(event) => {
          typed.current = true;
          setDraft(event.currentTarget.value);
        }}
        onBlur={(event) => {
          finish(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') {
            typed.current = false;
            event.currentTarget.blur();
          }
        }}
      />
      {unit && <span class="unit">{unit}</span>}
    </span>
  );
}

/** A number without useless zeros, with a proper minus. */
export function shown(value: number, digits: number): string {
  const text = Number(value.toFixed(digits)).toString();
  return text.replace('-', '−');
}

interface MenuProps {
  icon: IconName;
  label: string;
  wordy?: boolean;
  /** A word beside the icon that is shorter than the label. */
  wordyLabel?: string;
  align?: 'left' | 'right';
  up?: boolean;
  children: (close: () => void) => ComponentChildren;
}

export function Menu({ icon, label, wordy, wordyLabel, align = 'left', up, children }: MenuProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('keydown', escape);
    };
  }, [open]);
  return (
    <div class="menu" ref={root}>
      <Button icon={icon} label={label} pressed={open} wordy={wordy ?? wordyLabel !== undefined} text={wordyLabel ?? label} onClick={() => {
        setOpen(!open);
      }} />
      {open && (
        <div class={`menu-list ${align}${up ? ' up' : ''}`} role="menu">
          {children(() => {
            setOpen(false);
          })}
        </div>
      )}
    </div>
  );
}

interface ItemProps {
  icon: IconName;
  label: string;
  hint?: string;
  onClick: () => void;
}

export function MenuItem({ icon, label, hint, onClick }: ItemProps): JSX.Element {
  return (
    <button type="button" role="menuitem" class="menu-item" onClick={onClick}>
      <Icon name={icon} />
      <span>{label}</span>
      {hint && <kbd>{hint}</kbd>}
    </button>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-label={title}
      onClose={onClose}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <Button icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}
