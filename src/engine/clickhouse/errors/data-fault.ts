/**
 * What a caller is told when a query fails on its data. The engine's own messages quote cells, which whoever runs an
 * endpoint may not be allowed to see, so nothing of them is repeated but the names of types and functions. Pure.
 */
import { lexSql } from '../../../sql/sql-lexer.ts';

/**
 * Errors about the names in a query, which no value can get into. Others, such as ILLEGAL_TYPE_OF_ARGUMENT, are thrown for
 * values as well. Source: ClickHouse's ErrorCodes.
 */
const shapeErrors: ReadonlySet<number> = new Set([16, 46, 47, 60, 63, 179, 184, 207, 215, 352]);

/** Whether the engine's own message may be shown to whoever runs the query. */
export function isAboutShape(code: number): boolean {
  return shapeErrors.has(code);
}

const noSyntax = 'A text in the data cannot be read';
const causes: Readonly<Record<number, string>> = {
  6: noSyntax,
  26: noSyntax,
  27: noSyntax,
  33: noSyntax,
  38: noSyntax,
  41: noSyntax,
  43: 'A function does not accept its arguments',
  53: noSyntax,
  72: noSyntax,
  117: noSyntax,
  130: noSyntax,
  376: noSyntax,
  467: noSyntax,
  675: noSyntax,
  676: noSyntax,
  69: 'An argument is out of its range',
  70: 'A value in the data cannot be converted',
  125: 'A subquery that stands for one value gave several rows',
  128: 'A list would become too long',
  131: 'A text is too long',
  153: 'Division by zero',
  190: 'Lists of different lengths were combined',
  321: 'A value in the data is out of range',
  349: 'A value in the data is NULL where the type has none',
  386: 'Values without a common type were combined',
  395: 'A condition of throwIf is met',
  407: 'A decimal is out of its range',
  427: 'A pattern in the data is no regular expression',
  691: 'A text in the data is no member of the enumeration',
};

const THROW_IF = 395;

/** @param written the text of the query, which whoever wrote the message may repeat; empty when it is not known. */
export function dataFault(code: number, raw: string, written: string): string {
  if (code === THROW_IF) {
    const own = throwIfMessage(raw, written);
    if (own !== null) return /[.!?…]$/.test(own) ? own : `${own}.`;
  }
  const called = functionIn(raw, written);
  const type = TYPE.exec(raw)?.[1];
  const cause = causes[code] ?? 'A function does not accept a value in the data';
  const asType = type !== undefined && cause.endsWith('read') ? ` as ${type}` : '';
  const inFunction = called === null ? '' : ` in the function ${called}`;
  return `${cause}${asType}${inFunction}.${cause === noSyntax ? remedy(called) : ''}`;
}

/** Of a closed list: a cell that looks like a message must not get into one. */
const TYPE =
  /\b(?:as|[Pp]arse|type|into) (U?Int(?:8|16|32|64|128|256)|Float(?:32|64)|Decimal|Date(?:32|Time(?:64)?)?|UUID|IPv[46]|Bool)\b/;

/** The function, if the query names it. */
function functionIn(raw: string, written: string): string | null {
  for (const [, name = ''] of raw.matchAll(/\b(?:FUNCTION|[Ff]unction) [`']?(\w{1,100})/g)) {
    if (new RegExp(`\\b${name}\\s*\\(`).test(written)) return name;
  }
  return null;
}

const HAS_SAFE_FORM = /^to(?:U?Int\d+|Float\d+|Decimal\d+|Date(?:32|Time(?:64)?)?|UUID|IPv[46])$/;

function remedy(called: string | null): string {
  if (called === null || !HAS_SAFE_FORM.test(called)) return '';
  return ` ${called}OrNull gives NULL instead.`;
}

/** What the author lets a query say: a literal of the query, never a value that it computes. */
function throwIfMessage(raw: string, written: string): string | null {
  const said = raw.replace(/^[\s\S]*?DB::Exception: /, '');
  const own = [...lexSql(written)]
    .filter(({ kind }) => kind === 'text')
    .map(({ start, end }) => literalText(written.slice(start, end)))
    // The engine cuts a full stop off.
    .filter((text) => text.length <= 300 && /[^.]/.test(text))
    .filter((text) => said.startsWith(text.replace(/\.$/, '')));
  return own.toSorted((one, other) => other.length - one.length)[0] ?? null;
}

function literalText(literal: string): string {
  return literal.slice(1, -1).replace(/''/g, "'").replace(/\\(.)/g, '$1');
}
