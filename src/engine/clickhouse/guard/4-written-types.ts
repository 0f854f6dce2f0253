/**
 * The types that a text names outside of functions: those of its variables, and those inside quoted names, as in
 * json.path.:`DateTime('UTC')`. The engine creates each type while it parses the text, before there is a tree to check.
 * Pure.
 */
import { isSymbol, type LexedText, nameAt, positionOfToken } from './parse/lexed-text.ts';
import { type TimeZones, whyNotPath, whyNotType } from './rules/types.ts';

/** @returns a sentence for the author, or null when the types are accepted. */
export function refusalOfWrittenTypes(text: LexedText, zones: TimeZones): string | null {
  for (const index of text.tokens.keys()) {
    const refusal = refusalOfVariable(text, index, zones) ?? refusalOfName(text, index, zones);
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
  if (reason === null) return null;
  return `The type of the variable ${name}${positionOfToken(text, index)} is not accepted: ${reason}.`;
}

/** A name that may hold a type whose creation reads its arguments. */
const MAY_NAME_TYPE = /aggregatefunction|(?:^|\W)(?:datetime|timestamp)/i;
/**
 * The engine names a column after its expression, as in `countIf(greater(timestamp, '2026-01-01'))`, which holds a
 * column called timestamp and no type: what follows is no bracket.
 */
const NAMES_TYPE = /aggregatefunction|(?:^|\W)(?:datetime|timestamp)\w*\W*\(/i;
/** A comment hides from the lexer what follows it, and the engine may begin to read a type after any dot. */
const COMMENT = /--|\/\*|\/\/|#/;
/** A letter of a quoted type may hide behind an escape sequence. */
const ESCAPED_TYPE = /["`][^"`\\]*\\[^"`]*["`][\s\u0085\u180E\u200B-\u200D\u2060]*\(/;

function whyNotNamedType(name: string, zones: TimeZones): string | null {
  if (!name.includes('(')) return null;
  // Only a comment of this kind can stand in front of the bracket: a quoted name has no line breaks.
  const isApart = name.includes('/*') && MAY_NAME_TYPE.test(name);
  const namesType = NAMES_TYPE.test(name);
  if (isApart || (namesType && COMMENT.test(name)) || ESCAPED_TYPE.test(name)) {
    return 'a quoted name that holds a type must be plain text without comments and escape sequences';
  }
  return namesType ? whyNotType(name, zones) : null;
}

/** One name may hold a whole path: `j.a.:``DateTime('UTC')```. */
const PATH = /:[`"]/;

function refusalOfName(text: LexedText, index: number, zones: TimeZones): string | null {
  if (text.tokens[index]?.kind !== 'name') return null;
  const name = nameAt(text, index);
  const ofType = whyNotNamedType(name, zones);
  const reason = ofType ?? (PATH.test(name) ? whyNotPath(name, zones) : null);
  if (reason === null) return null;
  return `The type in the quoted name${positionOfToken(text, index)} is not accepted: ${reason}.`;
}
