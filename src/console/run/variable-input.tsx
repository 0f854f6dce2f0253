import { useMemo } from 'react';
import { elementType, enumValues, isTypedAsJson, isWide, kindOf } from './clickhouse-types.ts';
import { ListOptionsInput, listPlaceholder } from './list-options-input.tsx';
import { OptionsInput } from './options-input.tsx';
import { TimeInput } from './time-input.tsx';
import { pickerFor, zoneOf } from './time-texts.ts';
import { type OptionsSource, readDescription } from './variable-options.ts';
import { toTypedText, type VariableShape } from './variable-values.ts';

interface VariableInputProps {
  readonly variable: VariableShape;
  /** Undefined while the default applies. */
  readonly text: string | undefined;
  /** Why the value was refused. */
  readonly fault: string | undefined;
  readonly onChange: (text: string | undefined) => void;
}

/** One variable with an input that fits its type. Typing sets it; an optional one can be reset to its default. */
export function VariableInput({ variable, text, fault, onChange }: VariableInputProps) {
  const { name, type, required, description } = variable;
  const { about, options } = useMemo(() => readDescription(description), [description]);
  const id = `variable-${name}`;
  const isDefault = text === undefined && !required;
  const zone = zoneOf(type);
  const aboutId = about === '' && zone === null ? undefined : `${id}-about`;
  const faultId = fault === undefined ? undefined : `${id}-fault`;
  return (
    <div className={isDefault ? 'variable by-default' : 'variable'}>
      <div className="variable-head">
        <label htmlFor={id}>
          <bdi>{name}</bdi>
        </label>
        <code className="muted small">
          <bdi>{type}</bdi>
        </code>
        {required ? (
          <span className="required small">required</span>
        ) : (
          text !== undefined && (
            <button type="button" className="text-button small" onClick={() => onChange(undefined)}>
              Use default
            </button>
          )
        )}
        {isDefault && <span className="muted small">default</span>}
      </div>
      <TypedInput
        id={id}
        variable={variable}
        text={text ?? toTypedText(type, variable.default)}
        describedBy={[faultId, aboutId].filter(Boolean).join(' ') || undefined}
        isInvalid={fault !== undefined}
        options={options}
        onChange={onChange}
      />
      {faultId !== undefined && (
        <p className="fault small" id={faultId}>
          <bdi>{fault}</bdi>
        </p>
      )}
      {aboutId !== undefined && (
        <p className="muted small" id={aboutId}>
          <bdi>{about}</bdi>
          {zone !== null && <> In {zone} unless you add an offset.</>}
        </p>
      )}
    </div>
  );
}

interface TypedInputProps {
  readonly id: string;
  readonly variable: VariableShape;
  readonly text: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly options: OptionsSource | null;
  readonly onChange: (text: string) => void;
}

function TypedInput({
  id,
  variable: { name, type, required },
  text,
  describedBy,
  isInvalid,
  options,
  onChange,
}: TypedInputProps) {
  const shared = {
    id,
    value: text,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    'aria-required': required,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange(target.value),
  };
  const given = { id, text, required, describedBy, isInvalid, onChange };
  const choices = choicesOf(type);
  if (choices !== null)
    return (
      <select {...shared}>
        {!choices.includes(text) && <option value={text}>{text === '' ? 'Choose…' : text}</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  if (options !== null && elementType(type) === null)
    return <OptionsInput {...given} source={options} />;
  if (options !== null) return <ListOptionsInput {...given} name={name} source={options} />;
  if (elementType(type) !== null)
    return (
      <textarea
        {...shared}
        rows={3}
        placeholder={isTypedAsJson(type) ? 'A list as JSON' : listPlaceholder}
        spellCheck={false}
      />
    );
  const picker = pickerFor(type);
  if (picker !== null) return <TimeInput {...{ shared, picker, text, onChange }} />;
  return <input {...shared} {...inputOf(type)} autoComplete="off" spellCheck={false} />;
}

function choicesOf(type: string): readonly string[] | null {
  return kindOf(type) === 'boolean' ? ['true', 'false'] : enumValues(type);
}

function inputOf(type: string) {
  const kind = kindOf(type);
  if (kind === 'integer' && !isWide(type)) return { type: 'number', step: 1 };
  if (kind === 'integer') return { type: 'text', inputMode: 'numeric' as const };
  if (kind === 'float' || kind === 'decimal')
    return { type: 'text', inputMode: 'decimal' as const };
  return { type: 'text' };
}
