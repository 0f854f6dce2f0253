/**
 * The types that a text names outside of its functions: those of its variables, and those within quoted names, as in
 * json.path.:`DateTime('UTC')`. The engine makes each as soon as it reads the text, before there is a tree to look at. Pure.
 */
import type { SqlToken } from '../../../sql/sql-lexer.ts';
import { isSymbol, type LexedText, nameAt, placeOf } from './3-tokens.ts';
import { type TimeZones, whyNotPath, whyNotType } from './rules/types.ts';

/** @returns a sentence for the author, or null when nothing is wrong. */
export function refusalOfWrittenTypes(text: LexedText, zones: TimeZones): string | null {
  for (const [index, token] of text.tokens.entries()) {
    const refusal =
      refusalOfVariable(text, index, zones) ?? refusalOfName(text, index, { token, zones });
    if (refusal !== null) return refusal;
  }
  return null;
}

function refusalOfVariable(text: LexedText, index: number, zones: TimeZones): string | null {
  if (!isSymbol(text, index, '{') || !isSymbol(text, index + 2, ':')) return null;
  const name = nameAt(text, index + 1);
  const end = text.tokens.findIndex((_token, at) => at > index && isSymbol(text, at, '}'));
  const from = text.tokens[index + 2]?.end;
  const to = text.tokens[end]?.start;
  if (name === '' || from === undefined || to === undefined) return null;
  const reason = whyNotType(text.sql.slice(from, to), zones);
  const place = placeOf(text.sql, text.tokens[index]?.start ?? 0);
  return reason === null
    ? null
    : `The type of the variable ${name}${place} is not accepted: ${reason}.`;
}

const NAMES_TYPE = /aggregatefunction|(?:^|\W)(?:datetime|timestamp)/i;

/** A whole path may stand in one name: `j.a.:``DateTime('UTC')```. */
const PATH = /:[`"]/;

interface Named {
  readonly token: SqlToken;
  readonly zones: TimeZones;
}

function refusalOfName(text: LexedText, index: number, { token, zones }: Named): string | null {
  if (token.kind !== 'name') return null;
  const name = nameAt(text, index);
  const own = name.includes('(') && NAMES_TYPE.test(name) ? whyNotType(name, zones) : null;
  const reason = own ?? (PATH.test(name) ? whyNotPath(name, zones) : null);
  if (reason === null) return null;
  return `The type in the quoted name${placeOf(text.sql, token.start)} is not accepted: ${reason}.`;
}
