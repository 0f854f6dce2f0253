import { useState } from 'react';
import { OptionsInput } from './options-input.tsx';
import type { OptionsSource } from './variable-options.ts';
import { readList, toTypedText } from './variable-values.ts';

export const listPlaceholder = 'One value per line, or a list as JSON';

interface ListOptionsInputProps {
  readonly id: string;
  /** Name of the variable. */
  readonly name: string;
  readonly source: OptionsSource;
  /** One value per line, or JSON. */
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
    const values = readList('String', text);
    const isNew = !values.some((one) => toTypedText('String', one) === value);
    if (isNew) onChange(toTypedText('Array(String)', [...values, value]));
  };
  return (
    <div className="list-options">
      <textarea
        id={id}
        rows={3}
        value={text}
        spellCheck={false}
        placeholder={listPlaceholder}
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
