/**
 * Generated SELECTs in which names are given over and over: to columns, to each other, in WITH, in subqueries and CTEs.
 * Most make no sense to the engine; for those it accepts, a plan must give the same result or be refused.
 */
import fc from 'fast-check';
import type { Laboratory } from './laboratory.ts';
import type { Written } from './written.ts';

export async function createShadowed(laboratory: Laboratory): Promise<void> {
  await laboratory.admin(
    'CREATE TABLE t (a Int32, b Int32, c Int32, d Int32, x Int32, y Int32) ENGINE = MergeTree ORDER BY a',
  );
  await laboratory.admin(
    'INSERT INTO t SELECT number % 5, number % 7, number % 3, cityHash64(number) % 9, number % 4 - 2, cityHash64(number, 7) % 6 FROM numbers(60)',
  );
}

/** All are columns of the table `t`, and all but the first two are ever given to other things. */
const names = ['a', 'b', 'c', 'd', 'x', 'y'] as const;
const name = fc.constantFrom(...names);
const alias = fc.constantFrom('a', 'c', 'd', 'x', 'y', 'z');

const value: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom('1', 't.a', 't.c') },
  {
    weight: 3,
    arbitrary: fc
      .tuple(name, fc.constantFrom('+', '-', '*'), fc.constantFrom('2', '3', 'b', 'x'))
      .map(([left, operator, right]) => `${left} ${operator} ${right}`),
  },
  { weight: 1, arbitrary: name.map((one) => `if(${one} > 2, ${one}, 0)`) },
  { weight: 1, arbitrary: name.map((one) => `arrayMax(a -> a + ${one}, [1, 2])`) },
);

const aggregate: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('sum($)', 'max($)', 'min($)', 'avg($)', 'uniqExact($)', 'sumIf($, a > 1)'),
    value,
    fc.constantFrom('', '', ' + 1', ' * 2'),
  )
  .map(([called, inner, more]) => `${called.replace('$', inner)}${more}`);

const sources = [
  't',
  't',
  't AS u',
  '(SELECT a AS b, b AS a, c, d, x, y FROM t) AS t',
  '(SELECT * EXCEPT (x), a + b AS x FROM t) AS t',
  'w AS t',
  't LEFT JOIN (SELECT a AS k, b AS z1 FROM t WHERE a < 3) AS o ON t.a = o.k',
  't ARRAY JOIN [1, 2] AS z2',
] as const;

const condition = fc
  .tuple(value, fc.constantFrom('=', '=', '>', '<=', 'IN'), fc.option(value, { freq: 2 }))
  .map(([compared, operator, more]) => {
    const right = operator === 'IN' ? '{v:Array(Int32)}' : '{v:Int32}';
    const rest = more === null ? '' : ` AND ${more} != 7`;
    return ` WHERE ${compared} ${operator} ${right}${rest}`;
  });

/** What WITH names: an expression, or a function of one number. */
const named = (what: fc.Arbitrary<string>) =>
  fc
    .tuple(what, alias, fc.boolean())
    .map(([text, given, isLambda]) =>
      isLambda ? `(w -> w + ${text}) AS f_${given}` : `${text} AS ${given}`,
    );

function written(select: string, from: string, withs: readonly string[]): Written {
  const tables = from.startsWith('w ') ? ['w AS (SELECT b AS a, a AS b, c, d, x, y FROM t)'] : [];
  const all = [...withs, ...tables];
  // A function that nobody calls is called.
  const called = withs.flatMap((text) => / AS (f_\w)$/.exec(text)?.slice(1) ?? []);
  const items = called.map((one, at) => `${one}(2) AS g${at}, `).join('');
  const isDistinct = select.startsWith('DISTINCT ');
  const list = isDistinct ? `DISTINCT ${items}${select.slice(9)}` : `${items}${select}`;
  const sql = `${all.length > 0 ? `WITH ${all.join(', ')} ` : ''}SELECT ${list}`;
  const isSet = sql.includes('Array(Int32)');
  return { sql, values: [0, 1, 2, 3, 7].map((one) => ({ v: isSet ? [one, 4] : one })) };
}

const rowItem = fc
  .tuple(value, fc.option(alias, { freq: 3 }), fc.integer({ min: 0, max: 14 }))
  .map(([text, given, odd]) => {
    if (odd === 0) return '*';
    if (odd === 1) return `untuple((${text} AS u1, b AS u2))`;
    if (odd === 2) return '* EXCEPT (a) REPLACE (b + 1 AS b)';
    return given === null ? text : `${text} AS ${given}`;
  });

const rows: fc.Arbitrary<Written> = fc
  .record({
    withs: fc.array(named(value), { maxLength: 2 }),
    distinct: fc.constantFrom('', '', '', 'DISTINCT '),
    items: fc.array(rowItem, { minLength: 1, maxLength: 4 }),
    from: fc.constantFrom(...sources),
    where: condition,
    order: fc.array(fc.oneof(name, value, fc.constantFrom('1', '2', '3')), { maxLength: 2 }),
  })
  .map(({ withs, distinct, items, from, where, order }) => {
    const orderBy = order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
    return written(`${distinct}${items.join(', ')} FROM ${from}${where}${orderBy}`, from, withs);
  });

/** A key is grouped by its expression, its alias or its position. */
const key = fc.tuple(value, fc.option(alias, { freq: 3 }), fc.integer({ min: 0, max: 2 }));

const groups: fc.Arbitrary<Written> = fc
  .record({
    withs: fc.array(named(aggregate), { maxLength: 2 }),
    keys: fc.array(key, { maxLength: 2 }),
    computed: fc.array(fc.tuple(aggregate, fc.option(alias, { freq: 3 })), {
      minLength: 1,
      maxLength: 2,
    }),
    from: fc.constantFrom(...sources),
    where: condition,
    having: fc.oneof(
      fc.constant(''),
      fc.constant(''),
      fc.oneof(aggregate, alias).map((text) => ` HAVING ${text} > 3`),
    ),
    order: fc.option(fc.oneof(aggregate, alias, fc.constantFrom('1', '2')), { freq: 2 }),
  })
  .map(({ withs, keys, computed, from, where, having, order }) => {
    const as = (text: string, given: string | null) =>
      given === null ? text : `${text} AS ${given}`;
    const lead = withs.filter((text) => text.startsWith('(w ->')).length;
    const items = [
      ...keys.map(([text, given]) => as(text, given)),
      ...computed.map(([text, given]) => as(text, given)),
    ];
    const by = keys.map(([text, given, how], at) =>
      how === 0 ? String(at + 1 + lead) : how === 1 && given !== null ? given : text,
    );
    const groupBy = by.length > 0 ? ` GROUP BY ${by.join(', ')}` : '';
    const orderBy = order === null ? '' : ` ORDER BY ${order}`;
    const tail = `${where}${groupBy}${having}${orderBy}`;
    return written(`${items.join(', ')} FROM ${from}${tail}`, from, withs);
  });

/** Without LIMIT, since the position of the rows is not determined. */
export const shadows: fc.Arbitrary<Written> = fc.oneof(rows, groups);
