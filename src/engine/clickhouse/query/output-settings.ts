import type { EngineQuery } from '../../query-engine.ts';
import { wholeResponse } from '../http/session.ts';

type Integers = EngineQuery['integers'];

/** How values are written, in whole results and in streams alike. */
export function valueSettings(integers: Integers) {
  return {
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: integers === 'string' ? '1' : '0',
    output_format_json_quote_decimals: '1',
    output_format_json_quote_denormals: '0',
    output_format_json_escape_forward_slashes: '0',
    output_format_json_validate_utf8: '1',
    output_format_decimal_trailing_zeros: '1',
  } as const;
}

/** One shared object for each way to write integers, which the client encodes once. */
export const outputSettings = {
  number: settingsFor('number'),
  string: settingsFor('string'),
} as const satisfies Record<Integers, object>;

function settingsFor(integers: Integers): Readonly<Record<string, string>> {
  return {
    ...wholeResponse,
    default_format: 'JSONCompactEachRowWithNamesAndTypes',
    ...valueSettings(integers),
    print_pretty_type_names: '0',
  };
}
