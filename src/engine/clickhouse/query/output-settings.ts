import type { RowForm } from '../../../model/result-format.ts';
import type { EngineQuery } from '../../query-engine.ts';
import { wholeResponse } from '../http/session.ts';

type Integers = EngineQuery['integers'];

/** How values are written, in both complete results and streams. */
export function valueSettings(integers: Integers) {
  return {
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: integers === 'string' ? '1' : '0',
    output_format_json_quote_decimals: '1',
    output_format_json_quote_denormals: '0',
    output_format_json_escape_forward_slashes: '0',
    output_format_json_validate_utf8: '1',
    output_format_decimal_trailing_zeros: '1',
    print_pretty_type_names: '0',
  } as const;
}

/**
 * They also apply within a query, to functions that write values as text, as `toString` of an array of times,
 * `toJSONString` or `toTypeName`. So statements whose rows are stored, or compared with those of runs, need those of runs.
 */
export const contentSettings = valueSettings('number');

/** One shared object per integer style, which the client encodes once. */
export const outputSettings = settingsFor('JSONCompactEachRowWithNamesAndTypes');

/** The same for selected rows, whose columns are known. */
export const selectedSettings = {
  arrays: settingsFor('JSONCompactEachRow'),
  objects: settingsFor('JSONEachRow'),
} as const satisfies Record<RowForm, object>;

function settingsFor(format: string): Readonly<Record<Integers, Readonly<Record<string, string>>>> {
  return { number: settingsOf(format, 'number'), string: settingsOf(format, 'string') };
}

function settingsOf(format: string, integers: Integers): Readonly<Record<string, string>> {
  return {
    ...wholeResponse,
    default_format: format,
    ...valueSettings(integers),
  };
}
