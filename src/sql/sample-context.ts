/** What a string is parsed as where a query uses it, so that a sample value can be one that the query takes. */

const time = '2001-01-01 00:00:00';
const nil = '00000000-0000-0000-0000-000000000000';

/** By the function that a string is given to. */
const ofFunctions: readonly (readonly [RegExp, string])[] = [
  [
    /^(toDate(Time)?(32|64)?|toDate(Time)?(32|64)?Or\w+|parseDateTime(32|64)?BestEffort\w*)$/i,
    time,
  ],
  [/^(toU?Int\d+|to(B?Float|Decimal)\d*)(Or\w+)?$/i, '1'],
  [/^(date_?diff|timestamp_?diff|date_?trunc)$/i, 'day'],
  [/^toUUID(Or\w+)?$/i, nil],
  [/^(toIPv4|IPv4StringToNum)(Or\w+)?$/i, '0.0.0.0'],
  [/^(toIPv6|IPv6StringToNum)(Or\w+)?$/i, '::'],
];

/** By the type that it is cast to. */
const ofTypes: readonly (readonly [RegExp, string])[] = [
  [/^(Date|Timestamp)/i, time],
  [/^(U?Int|B?Float|Decimal|Double|Real|Bool|Signed|Unsigned|BigInt|SmallInt|TinyInt)/i, '1'],
  [/^UUID/i, nil],
  [/^IPv4/i, '0.0.0.0'],
  [/^IPv6/i, '::'],
];

export interface Place {
  /** Of the placeholder, and the index behind it. */
  readonly start: number;
  readonly end: number;
}

/**
 * A text that is accepted there: `2001-01-01 00:00:00` in `toDateTime({start:String}, 'UTC')`, `1` in `{n:String}::Int32`. Null where
 * nothing is known about the place.
 */
export function sampleInContext(sql: string, { start, end }: Place): string | null {
  const [, name = ''] = /(\w+)\s*\(\s*$/.exec(sql.slice(Math.max(0, start - 100), start)) ?? [];
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
  return found?.[1] ?? null;
}
