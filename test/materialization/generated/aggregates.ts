/** Aggregates of all families whose result the rows determine, and expressions over them. */

import type { Kind, Pool } from './columns.ts';
import { constantCondition, variableCondition } from './conditions.ts';
import { anExpression, type Expression, isNumber, isOf, isPlain } from './expressions.ts';
import type { Reach } from './reach.ts';
import { type Condition, renderCondition } from './spec.ts';

export interface Aggregate {
  readonly text: string;
  readonly kind: Kind;
  readonly type: string;
}

type Family = (reach: Reach) => Aggregate | null;

const one = (reach: Reach, isWanted: (found: Expression) => boolean) => {
  const found = anExpression(reach.random, reach.scope, isWanted);
  return isWanted(found) ? found : null;
};
const int = (text: string): Aggregate => ({ text, kind: 'int', type: 'Int64' });
const float = (text: string): Aggregate => ({ text, kind: 'float', type: 'Float64' });
const other = (text: string, kind: Kind = 'ints'): Aggregate => ({ text, kind, type: '' });

const counts: Family = (reach) => {
  const found = one(reach, isPlain);
  if (found === null) return int('count()');
  return int(
    reach.random.pick([
      'count()',
      'count()',
      `count(${found.text})`,
      `count(DISTINCT ${found.text})`,
      `uniq(${found.text})`,
      `uniqExact(${found.text})`,
      `uniqCombined(${found.text})`,
      `uniqHLL12(${found.text})`,
      `uniqUpTo(3)(${found.text})`,
      `countDistinct(${found.text})`,
      `uniqOrNull(${found.text})`,
      `countIf(${condition(reach)})`,
      `uniqExactIf(${found.text}, ${condition(reach)})`,
      `count() FILTER (WHERE ${condition(reach)})`,
    ]),
  );
};

const sums: Family = (reach) => {
  const found = one(reach, isNumber);
  if (found === null) return null;
  const { text, kind } = found;
  const result =
    kind === 'int' ? int : kind === 'float' ? float : (sql: string) => other(sql, 'decimal');
  return reach.random.pick([
    () => result(`sum(${text})`),
    () => result(`sum(${text})`),
    () => float(`avg(${text})`),
    () => result(`sumIf(${text}, ${condition(reach)})`),
    () => float(`avgIf(${text}, ${condition(reach)})`),
    () => result(`sumOrNull(${text})`),
    () => float(`avgOrNull(${text})`),
    () => result(`sumOrDefault(${text})`),
    () => result(`sumIfOrNull(${text}, ${condition(reach)})`),
    () => result(`sum(DISTINCT ${text})`),
    () => float(`avg(DISTINCT ${text})`),
    () => result(`sum(${text}) FILTER (WHERE ${condition(reach)})`),
    () => other(`sumCount(${text})`, 'map'),
    () => result(`sumKahan(toFloat64(${text}))`),
  ])();
};

const extremes: Family = (reach) => {
  const found = one(reach, (each) => isPlain(each) || each.kind === 'float' || each.kind === 'odd');
  if (found === null) return null;
  const { text, kind, type } = found;
  // Different in each row, so that one row has the highest.
  const isUnique = !text.includes('tag');
  const by = reach.scope.find(({ text: name }) => isUnique && /^(q\.)?id$/.test(name))?.text;
  return {
    kind,
    type,
    text: reach.random.pick([
      `min(${text})`,
      `max(${text})`,
      `max(${text})`,
      `minIf(${text}, ${condition(reach)})`,
      `maxOrNull(${text})`,
      `minOrDefault(${text})`,
      `maxIfOrNull(${text}, ${condition(reach)})`,
      ...(by === undefined
        ? []
        : [
            `argMax(${text}, ${by})`,
            `argMin(${text}, ${by})`,
            `argMaxIf(${text}, ${by}, ${condition(reach)})`,
          ]),
    ]),
  };
};

const quantiles: Family = (reach) => {
  const found = one(reach, isOf('int', 'decimal', 'date', 'time', 'float'));
  if (found === null) return null;
  const { text, kind, type } = found;
  return reach.random.pick([
    () => ({ kind, type, text: `quantileExact(0.5)(${text})` }),
    () => ({ kind, type, text: `quantileExactLow(0.9)(${text})` }),
    () => ({ kind, type, text: `quantileExactIf(0.25)(${text}, ${condition(reach)})` }),
    () => other(`quantilesExact(0.1, 0.9)(${text})`),
    () => ({ kind, type, text: `medianExact(${text})` }),
    () => float(`quantile(0.9)(${text})`),
    () => float(`median(${text})`),
  ])();
};

const statistics: Family = (reach) => {
  const found = one(reach, isOf('int', 'float'));
  const second = one(reach, isOf('int', 'float'));
  if (found === null || second === null) return null;
  const { text } = found;
  return float(
    reach.random.pick([
      `stddevPop(${text})`,
      `stddevSamp(${text})`,
      `varPop(${text})`,
      `varSamp(${text})`,
      `varPopIf(${text}, ${condition(reach)})`,
      `covarPop(${text}, ${second.text})`,
      `corr(${text}, ${second.text})`,
      `avgWeighted(${text}, abs(${second.text}))`,
      `skewPop(${text})`,
      `entropy(${text})`,
      `quantileBFloat16(0.5)(${text})`,
      `quantileDD(0.05, 0.9)(ifNotFinite(toFloat64(${text}), 0))`,
      `quantileDeterministic(0.5)(${text}, cityHash64(${second.text}))`,
      `quantileInterpolatedWeighted(0.7)(${text}, 3)`,
    ]),
  );
};

const collections: Family = (reach) => {
  const found = one(reach, (each) => isPlain(each) && !each.isNullable);
  const array = one(reach, isOf('texts', 'ints'));
  const map = one(reach, isOf('map'));
  const [texts, ints] = [isOf('texts'), isOf('ints')];
  const options = [
    ...(found === null
      ? []
      : [
          `arraySort(groupArray(${found.text}))`,
          `arraySort(groupUniqArray(${found.text}))`,
          `length(groupUniqArray(${found.text}))`,
          `groupArraySorted(3)(${found.text})`,
          `arraySort(groupUniqArrayIf(${found.text}, ${condition(reach)}))`,
          `arrayStringConcat(arraySort(groupUniqArray(toString(${found.text}))), '|')`,
        ]),
    ...(array !== null && ints(array)
      ? [
          `sumArray(${array.text})`,
          `sumForEach(${array.text})`,
          `maxArray(${array.text})`,
          `avgArray(${array.text})`,
        ]
      : []),
    ...(array !== null && (texts(array) || ints(array))
      ? [
          `uniqArray(${array.text})`,
          `arraySort(groupUniqArrayArray(${array.text}))`,
          `countArray(${array.text})`,
        ]
      : []),
    ...(map !== null && isOf('map')(map)
      ? [
          `sumMap(${map.text})`,
          `maxMap(${map.text})`,
          `minMap(mapKeys(${map.text}), mapValues(${map.text}))`,
        ]
      : []),
  ];
  return options.length === 0 ? null : other(reach.random.pick(options));
};

const odd: Family = (reach) => {
  const found = one(reach, isPlain);
  const number = one(reach, isOf('int'));
  if (found === null || number === null || number.kind !== 'int') return null;
  return other(
    reach.random.pick([
      `any(${found.text})`,
      `anyLast(${found.text})`,
      `topK(2)(${found.text})`,
      `groupBitOr(toUInt32(abs(${number.text})))`,
      `groupBitXor(toUInt32(abs(${number.text})))`,
      `groupBitmap(toUInt32(abs(${number.text})))`,
      `singleValueOrNull(${found.text})`,
      `retention(${condition(reach)}, ${condition(reach)})`,
      `windowFunnel(9)(toUInt32(abs(${number.text})), ${condition(reach)}, ${condition(reach)})`,
      `sumDistinct(${number.text})`,
      `deltaSum(${number.text})`,
      `groupConcat(${found.text})`,
    ]),
  );
};

const families: readonly (readonly [number, Family])[] = [
  [8, counts],
  [8, sums],
  [6, extremes],
  [3, quantiles],
  [2, statistics],
  [3, collections],
  [1, odd],
];

/** Left to bold queries, so that the others are mostly accepted. */
const RARE =
  /OrNull|OrDefault|DISTINCT|Distinct|stddev|var|corr|skew|entropy|quantile\(|median|Map|any|topK|retention|deltaSum|Concat|singleValue|Sorted|Kahan|Weighted/;

/** Mostly over constants, at times over a variable, which no aggregate state can hold. */
function condition(reach: Reach): string {
  const made: Condition =
    reach.isBold && reach.random.chance(0.1) ? variableCondition(reach) : constantCondition(reach);
  return renderCondition(made);
}

export function anAggregate(reach: Reach): Aggregate {
  for (let turn = 0; turn < 20; turn += 1) {
    const found = reach.random.weighted(families)(reach);
    if (found !== null && (reach.isBold || !RARE.test(found.text))) return found;
  }
  return int('count()');
}

/** An aggregate, or something computed from several. */
export function aMetric(reach: Reach): Aggregate {
  const first = anAggregate(reach);
  if (!isNumberKind(first.kind) || reach.random.chance(0.6)) return first;
  const number = one(reach, isOf('int'))?.text ?? '1';
  return reach.random.pick([
    () => float(`round(100 * countIf(${condition(reach)}) / count(), 2)`),
    () => ({ ...first, text: `ifNull(${first.text}, 0)` }),
    () => ({ ...first, text: `${first.text} + 1` }),
    () => float(`round(${first.text} / nullIf(count(), 0), 3)`),
    () => int(`max(${number}) - min(${number})`),
    () => ({ ...first, text: `if(count() > 3, ${first.text}, 0)` }),
    () =>
      other(
        `CASE WHEN count() > 10 THEN 'many' WHEN count() > 2 THEN 'some' ELSE 'few' END`,
        'text',
      ),
    () => float(`toFloat64(${first.text}) * 2`),
  ])();
}

const isNumberKind = (kind: Kind) => kind === 'int' || kind === 'float' || kind === 'decimal';

/** To compare an aggregate with in HAVING or around it. */
export const metricPool: Pool = { present: [1, 3, 0], edges: [0, 50], absent: [-1, 100_000] };
