import type { EngineQuery } from '../../query-engine.ts';
import { wholeAnswer } from '../http/session.ts';

/** Each way to write integers has one object, which the client writes out once. */
export const outputSettings = {
  number: answerSettings('0'),
  string: answerSettings('1'),
} as const satisfies Record<EngineQuery['integers'], object>;

function answerSettings(quotedIntegers: '0' | '1'): Readonly<Record<string, string>> {
  return {
    ...wholeAnswer,
    default_format: 'JSONCompactEachRowWithNamesAndTypes',
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: quotedIntegers,
    output_format_json_quote_decimals: '1',
    output_format_json_quote_denormals: '0',
    output_format_json_escape_forward_slashes: '0',
    output_format_json_validate_utf8: '1',
    output_format_decimal_trailing_zeros: '1',
    print_pretty_type_names: '0',
  };
}
