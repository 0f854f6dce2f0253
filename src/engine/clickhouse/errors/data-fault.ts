/**
 * The message a caller gets when a query fails on its data. The engine's own messages quote cells, which the caller of
 * an endpoint may not be allowed to see, so only the names of types and functions are repeated. Pure.
 */
import { lexSql } from '../../../sql/sql-lexer.ts';

/**
 * Errors about the names in a query, which never contain values. Others, such as ILLEGAL_TYPE_OF_ARGUMENT, are also
 * thrown for values. Source: ClickHouse's ErrorCodes.
 */
const shapeErrors: ReadonlySet<number> = new Set([16, 46, 47, 60, 63, 179, 184, 207, 215, 352]);

/** Whether the engine's own message may be shown to whoever runs the query. */
export function isAboutShape(code: number): boolean {
  return shapeErrors.has(code);
}

const noSyntax = 'A string, in the data or given as a value, cannot be parsed';
const causes: Readonly<Record<number, string>> = {
  6: noSyntax,
  26: noSyntax,
  27: noSyntax,
  32: noSyntax,
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
  69: 'An argument is out of range',
  70: 'A value in the data cannot be converted',
  125: 'A scalar subquery returned more than one row',
  128: 'An array would become too large',
  131: 'A string is too long',
  153: 'Division by zero',
  190: 'Arrays of different lengths were combined',
  321: 'A value in the data is out of range',
  349: 'A value in the data is NULL, but its type is not Nullable',
  386: 'Values without a common type were combined',
  395: 'A condition of throwIf is true',
  407: 'A decimal is out of range',
  427: 'A pattern, in the data or given as a value, is not a regular expression',
  691: 'A string, in the data or given as a value, is not a value of the enum',
};

/** Whatever the rows are. */
const ofText: Readonly<Record<number, string>> = {
  49: 'The engine has a defect that this query meets; write it in another way, for example with AND, OR or HAVING in a subquery of its own',
  403: 'The engine cannot run this JOIN, whose condition compares no column of one side with one of the other by =; write it as CROSS JOIN with WHERE, or compare by = as well',
  475: 'A value of WITH FILL has another type than the column that it fills',
};

const THROW_IF = 395;
const SCALAR_SUBQUERY = 125;
const BAD_FILL = 475;
const BAD_GET = 170;

/** Whether a query that fails in this way may succeed without some of its rows. */
export function isOfRow(code: number): boolean {
  return Object.hasOwn(causes, code);
}

/** @param written the query's text, which a message may quote; empty when unknown. */
export function dataFault(code: number, raw: string, written: string): string {
  if (code === THROW_IF) {
    const own = throwIfMessage(raw, written);
    if (own !== null) return /[.!?…]$/.test(own) ? own : `${own}.`;
  }
  if (code === SCALAR_SUBQUERY && /returned empty result/.test(raw))
    return 'A scalar subquery returned no row, and its type has no NULL. Write an aggregate into it, such as arrayFlatten(groupArray(…)), which has a value without rows as well.';
  const key = JOIN_KEY.exec(raw)?.[1];
  if (key !== undefined)
    return `JOIN does not compare keys of the type ${key}; cast them, as in key::String.`;
  if (code === BAD_FILL && /STEP value cannot/.test(raw)) {
    return 'The STEP of WITH FILL has to be above 0, or below 0 where ORDER BY is DESC.';
  }
  if (code === BAD_FILL && /cannot be (?:less|bigger|greater) than/.test(raw)) {
    return 'The values of WITH FILL are in the wrong order: from FROM, STEP has to lead to TO.';
  }
  if (code === BAD_GET && raw.includes('has Array, requested String')) {
    return 'The engine does not look for a whole array in an index of texts, which a table has for the column: in place of = and !=, write IN and NOT IN, as in tags IN ([…]) and tags IN ({list}).';
  }
  const called = functionIn(raw, written);
  const type = TYPE.exec(raw)?.[1];
  const cause = causes[code] ?? ofText[code] ?? 'A function does not accept a value in the data';
  const asType = type !== undefined && cause === noSyntax ? ` as ${type}` : '';
  const inFunction = called === null ? '' : ` in the function ${called}`;
  return `${cause}${asType}${inFunction}.${cause === noSyntax ? remedy(called) : ''}`;
}

/** A closed list, so that a cell that looks like a message cannot get through. */
const TYPE =
  /\b(?:as|[Pp]arse|type|into) (U?Int(?:8|16|32|64|128|256)|Float(?:32|64)|Decimal|Date(?:32|Time(?:64)?)?|UUID|IPv[46]|Bool)\b/;

const JOIN_KEY = /JOIN on keys with (Dynamic|Variant|JSON) type is not supported/;

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

/** A message that the author wrote as a literal of the query, never a computed value. */
function throwIfMessage(raw: string, written: string): string | null {
  const message = raw.replace(/^[\s\S]*?DB::Exception: /, '');
  const own = [...lexSql(written)]
    .filter(({ kind }) => kind === 'text')
    .map(({ start, end }) => literalText(written.slice(start, end)))
    // The engine cuts off a trailing full stop.
    .filter((text) => text.length <= 300 && /[^.]/.test(text))
    .filter((text) => message.startsWith(text.replace(/\.$/, '')));
  return own.toSorted((one, other) => other.length - one.length)[0] ?? null;
}

function literalText(literal: string): string {
  return literal.slice(1, -1).replace(/''/g, "'").replace(/\\(.)/g, '$1');
}
