import { useState } from 'react';
import { OptionsInput } from './options-input.tsx';
import type { OptionsSource } from './variable-options.ts';

interface ListOptionsInputProps {
  readonly id: string;
  /** Name of the variable. */
  readonly name: string;
  readonly source: OptionsSource;
  /** One value per line. */
  readonly text: string;
  readonly required: boolean;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly onChange: (text: string) => void;
}

/** A list whose values are picked one by one from another endpoint's, or typed, one per line. */
export function ListOptionsInput(props: ListOptionsInputProps) {
  const { id, name, source, text, required, describedBy, isInvalid, onChange } = props;
  const [wanted, setWanted] = useState('');
  const add = (value: string) => {
    setWanted('');
    const lines = text.split('\n').filter((line) => line !== '');
    if (!lines.includes(value)) onChange([...lines, value].join('\n'));
  };
  return (
    <div className="list-options">
      <textarea
        id={id}
        rows={3}
        value={text}
        spellCheck={false}
        placeholder="One value per line"
        aria-required={required}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        onChange={({ target }) => onChange(target.value)}
      />
      <label className="muted small" htmlFor={`${id}-add`}>
        Add to <bdi>{name}</bdi>
      </label>
      <OptionsInput
        id={`${id}-add`}
        source={source}
        text={wanted}
        required={false}
        describedBy={undefined}
        isInvalid={false}
        onChange={setWanted}
        onPick={add}
      />
    </div>
  );
}
