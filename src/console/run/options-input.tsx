import { type KeyboardEvent, useMemo, useState } from 'react';
import { useOptions } from './use-options.ts';
import { matchingOptions, type Option, type OptionsSource } from './variable-options.ts';

interface OptionsInputProps {
  readonly id: string;
  readonly source: OptionsSource;
  readonly text: string;
  readonly required: boolean;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly onChange: (text: string) => void;
  /** Called with the option picked from the list; absent to treat it like any other change. */
  readonly onPick?: (value: string) => void;
}

/** Others are found by typing. */
const mostShown = 200;

/**
 * A value that is typed or picked from another endpoint's values. Other values may be typed; the service validates
 * them.
 */
export function OptionsInput(props: OptionsInputProps) {
  const { id, source, text, required, describedBy, isInvalid, onChange } = props;
  const { onPick = onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const [isWanted, setWanted] = useState(false);
  /** Null when nothing was typed since the list was opened, so all options are shown. */
  const [typed, setTyped] = useState<string | null>(null);
  /** -1 for none; Enter then submits the form. */
  const [at, setAt] = useState(-1);
  const { options, note, isReading } = useOptions(source, isWanted);
  const found = useMemo(() => matchingOptions(options, typed ?? ''), [options, typed]);
  const shown = found.slice(0, mostShown);
  const open = () => {
    setWanted(true);
    setOpen(true);
    setTyped(null);
    setAt(-1);
  };
  const pick = (option: Option | undefined) => {
    setOpen(false);
    if (option !== undefined) onPick(option.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && isOpen) setOpen(false);
    else if (event.key === 'Enter' && isOpen && at !== -1) pick(shown[at]);
    else if (step !== undefined && !isOpen) open();
    else if (step !== undefined) setAt(stepped(at, step, shown.length));
    else return;
    event.preventDefault();
  };
  return (
    <div className="options">
      <input
        id={id}
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-expanded={isOpen}
        aria-controls={`${id}-options`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at !== -1 ? `${id}-option-${at}` : undefined}
        aria-required={required}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        value={text}
        onBlur={() => setOpen(false)}
        onClick={() => {
          if (!isOpen) open();
        }}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          onChange(target.value);
          if (!isOpen) open();
          setTyped(target.value);
          setAt(-1);
        }}
      />
      <div
        className="options-list"
        id={`${id}-options`}
        role="listbox"
        aria-label="Options"
        hidden={!isOpen || shown.length === 0}
      >
        {isOpen &&
          shown.map((option, index) => (
            <div
              key={option.value}
              id={`${id}-option-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              ref={(element) => {
                if (index === at) element?.scrollIntoView({ block: 'nearest' });
              }}
              // Keeps the focus in the input.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
            >
              <bdi>{option.value}</bdi>
              {option.label !== '' && (
                <span className="muted small">
                  <bdi>{option.label}</bdi>
                </span>
              )}
            </div>
          ))}
      </div>
      {isReading && <p className="muted small">Looking for options…</p>}
      {note !== '' && (
        <p className="muted small" role="status">
          <bdi>{note}</bdi>
        </p>
      )}
    </div>
  );
}

/** Wraps around at both ends. */
function stepped(at: number, step: number, count: number): number {
  if (count === 0) return -1;
  return at === -1 && step < 0 ? count - 1 : (at + step + count) % count;
}
