import { useState } from 'react';
import { elementType } from '../run/clickhouse-types.ts';
import { toTypedText, toVariableValue, type VariableShape } from '../run/variable-values.ts';

interface DefaultInputProps {
  readonly variable: VariableShape;
  /** The default as it would be typed. */
  readonly standard: string;
  readonly onChange: (text: string) => void;
}

/** A default is kept as a value; its text stays as it is typed while it means that value. */
export function DefaultInput({ variable: { name, type }, standard, onChange }: DefaultInputProps) {
  const [typed, setTyped] = useState(standard);
  const isSame = toTypedText(type, toVariableValue(type, typed)) === standard;
  const id = `default-${name}`;
  const shared = {
    id,
    value: isSame ? typed : standard,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setTyped(target.value);
      onChange(target.value);
    },
  };
  return (
    <label className="field" htmlFor={id}>
      <span>Default of {name}</span>
      {elementType(type) === null ? <input {...shared} /> : <textarea {...shared} rows={3} />}
    </label>
  );
}
