import { type InputHTMLAttributes, useState } from 'react';
import { fromPicked, isPickable, type Picker, toPicked } from './time-texts.ts';

type Shared = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'id' | 'aria-describedby' | 'aria-invalid' | 'aria-required'
>;

interface TimeInputProps {
  readonly shared: Shared;
  readonly picker: Picker;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A date or time from the browser's picker; as text when the picker cannot hold the value. */
export function TimeInput({ shared, picker, text, onChange }: TimeInputProps) {
  const [isText, setText] = useState(!isPickable(picker, text));
  // Text input stays text, even while the value happens to fit; an empty one starts over.
  if (isText && text === '') setText(false);
  if (!isText && !isPickable(picker, text)) setText(true);
  if (isText)
    return (
      <input
        {...shared}
        type="text"
        value={text}
        onChange={({ target }) => onChange(target.value)}
        autoComplete="off"
        spellCheck={false}
      />
    );
  return (
    <input
      {...shared}
      {...picker}
      value={toPicked(text)}
      onChange={({ target }) => onChange(fromPicked(target.value))}
    />
  );
}
