import { refusalOfField } from '../data-graph/names.ts';
import { containsKey } from '../errors/redact-keys.ts';
import { invalidInput } from '../errors/service-error.ts';
import { keyInText } from '../sql/storable-text.ts';

const attr = 'graphql_name';

/** An endpoint's data graph field name as chosen by its author; undefined when none was chosen. */
export function parseFieldName(value: string | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  const refusal = refusalOfField(value);
  if (refusal !== null) throw invalidInput(attr, refusal);
  if (containsKey(value)) throw keyInText(attr);
  return value;
}
