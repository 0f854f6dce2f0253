/** What the query parses a string as at its position, so that a sample value can be valid there. */
import { lexSql } from './sql-lexer.ts';

const time = '2001-01-01 00:00:00';
const nil = '00000000-0000-0000-0000-000000000000';

/** By the function that takes the string. */
const ofFunctions: readonly (readonly [RegExp, string])[] = [
  [
    /^(toDate(Time)?(32|64)?|toDate(Time)?(32|64)?Or\w+|parseDateTime(32|64)?BestEffort\w*)$/i,
    time,
  ],
  [/^(toU?Int\d+|to(B?Float|Decimal)\d*|toInterval\w*)(Or\w+)?$/i, '1'],
  [/^(date_?diff|timestamp_?diff|date_?trunc|dateName)$/i, 'day'],
  [/^toUUID(Or\w+)?$/i, nil],
  [/^(toIPv4|IPv4StringToNum)(Or\w+)?$/i, '0.0.0.0'],
  [/^(toIPv6|IPv6StringToNum)(Or\w+)?$/i, '::'],
];

/** A zone that queries seldom name, with daylight saving time. */
const zone = 'Atlantic/Azores';

/** Functions whose last argument may be a time zone, and the minimum number of arguments before it. */
const zoned: readonly (readonly [RegExp, number])[] = [
  [/^(now|today|yesterday|timezone)$/i, 0],
  [
    /^(to(Date(Time)?(32|64)?(Or\w+)?|TimeZone|Start\w+|(Last|Day|Year|Quarter|Month|Week|Hour|Minute|Second|YYYY|Monday|ISO|Relative|Time)\w*)|parseDateTime\w*|formatDateTime\w*)$/i,
    1,
  ],
  [/^(date_?trunc|toStartOfInterval|formatDateTime\w*)$/i, 2],
  [/^(date_?diff|timestamp_?diff)$/i, 3],
];

/** By the target type of a cast. */
const ofTypes: readonly (readonly [RegExp, string])[] = [
  [/^(Date|Timestamp)/i, time],
  [/^(U?Int|B?Float|Decimal|Double|Real|Bool|Signed|Unsigned|BigInt|SmallInt|TinyInt)/i, '1'],
  [/^UUID/i, nil],
  [/^IPv4/i, '0.0.0.0'],
  [/^IPv6/i, '::'],
];

const ofTimeOfDay = /^\s*(,|\|\|)\s*'[T ]?\d\d:\d\d/;

/** Functions of SQL/JSON, which parse their second argument. */
const ofPath = /^JSON_(VALUE|QUERY|EXISTS)$/i;

export interface Place {
  /** Start of the placeholder, and the index after it. */
  readonly start: number;
  readonly end: number;
}

/**
 * A text that is valid there: `2001-01-01 00:00:00` in `toDateTime({start:String}, 'UTC')`, `1` in `{n:String}::Int32`.
 * Null when nothing is known about the position.
 */
export function sampleInContext(sql: string, { start, end }: Place): string | null {
  const before = sql.slice(Math.max(0, start - 100), start);
  if (/\binterval\s+$/i.test(before)) return '1';
  const [, name = ''] = /(\w+)\s*\(\s*$/.exec(before) ?? [];
  const behind = sql.slice(end, end + 100);
  const isCast = /^_?(accurate)?Cast(Or\w+)?$/i.test(name);
  const [, type = ''] =
    (isCast
      ? /^\s*(?:AS\s+|,\s*')\s*(?:Nullable\()?(\w+)/i
      : /^\s*::\s*(?:Nullable\()?(\w+)/i
    ).exec(behind) ?? [];
  const found =
    type === ''
      ? ofFunctions.find(([functions]) => functions.test(name))
      : ofTypes.find(([types]) => types.test(type));
  return found?.[1] ?? sampleOfLastArgument(sql.slice(0, start), behind);
}

/**
 * A list that is valid there, for functions that accept no empty one: `[1]` in `roundDown(n, {bounds:Array(Int64)})`.
 * Null when nothing is known about the position.
 */
export function listInContext(sql: string, { start }: Place, type: string): string | null {
  if (!type.startsWith('Array(')) return null;
  const call = callAround(sql.slice(0, start));
  if (call === null || call.commas === 0) return null;
  if (/^roundDown$/i.test(call.name)) return '[1]';
  if (!/^pointInPolygon$/i.test(call.name)) return null;
  return type.startsWith('Array(Array(') ? `[${ring}]` : ring;
}

const ring = '[(0,0),(0,1),(1,1)]';

/** Whether a time of day is appended to it, as in `concat({day:String}, ' 23:59:59')`, so that it has to be a day. */
export function isDayOfTime(sql: string, { start, end }: Place): boolean {
  const [, sign] = ofTimeOfDay.exec(sql.slice(end, end + 100)) ?? [];
  if (sign !== ',') return sign !== undefined;
  return /\bconcat\s*\(\s*$/i.test(sql.slice(Math.max(0, start - 100), start));
}

/** Whether it is a number of LIMIT or OFFSET, which cannot be NULL. */
export function isRowCount(sql: string, { start }: Place): boolean {
  return /\b(limit|offset|limit\s+[^\s,]+\s*,)\s*$/i.test(
    sql.slice(Math.max(0, start - 200), start),
  );
}

/** A unit of time, a path of JSON, or a time zone, if the function takes one as its last argument. */
function sampleOfLastArgument(before: string, behind: string): string | null {
  const call = /^\s*\)/.test(behind) ? callAround(before) : null;
  if (call === null) return null;
  if (ofPath.test(call.name) && call.commas === 1) return '$';
  if (/^toInterval$/i.test(call.name)) return 'day';
  const isZone = zoned.some(([names, least]) => names.test(call.name) && call.commas >= least);
  return isZone ? zone : null;
}

/** The call whose argument list is open at the end of the text, with the number of preceding arguments. */
function callAround(before: string): { readonly name: string; readonly commas: number } | null {
  const tokens = lexSql(before).map(({ start, end }) => before.slice(start, end));
  let [depth, commas] = [0, 0];
  for (let at = tokens.length - 1; at > 0; at -= 1) {
    const text = tokens[at] ?? '';
    if (/^[)\]}]$/.test(text)) depth += 1;
    if (depth === 0 && text === ',') commas += 1;
    if (depth === 0 && text === '(') return { name: tokens[at - 1] ?? '', commas };
    if (/^[([{]$/.test(text)) depth -= 1;
    if (depth < 0) return null;
  }
  return null;
}
