/** What a suite showed: a line for each query, and figures for the whole. */
import { type Figure, figure, median } from '../figure.ts';
import type { Form, SavedQuery } from './examine.ts';
import type { Suite } from './suite.ts';

/** What became of one query in one form. */
export interface Outcome extends SavedQuery {
  /** Why its first sync failed. */
  readonly failure: string | null;
  /** Answers from the stored table. */
  readonly compared: number;
  /** What is wrong with them, and with the inline ones. */
  readonly faults: readonly string[];
  /** Of its largest answer. */
  readonly rows: number;
  /** Rows that the engine read for a stored run, at most. */
  readonly rowsRead: number;
  /** Whether the sorting key of what is stored finds its rows, by `=`, IN or a range for each variable. */
  readonly isKeyed: boolean;
  /** Why the service did not use the stored table. */
  readonly inline: readonly string[];
  /** Medians in milliseconds, through REST; null where nothing is stored. */
  readonly stored: number | null;
  /** Null also where the query needs more memory than a run may. */
  readonly source: number | null;
  /** Of a query that reads nothing, in the same time. */
  readonly floor: number | null;
}

/** Of the numbers in each line. */
export const heading =
  'milliseconds stored, inline and of SELECT 1; how many times as fast; rows, with * if the sorting key finds them; rows that the engine read for them';

export function lineOf({ endpoint, stored, source, floor, ...outcome }: Outcome): string {
  const rows = `${outcome.rows}${outcome.isKeyed ? '*' : ''}`.padStart(7);
  const cells =
    stored === null || floor === null
      ? []
      : [
          ...[stored, source, floor].map((each) => (each?.toFixed(2) ?? 'memory').padStart(8)),
          (source === null ? '' : (source / stored).toFixed(1)).padStart(8),
          rows,
          String(outcome.rowsRead).padStart(8),
        ];
  const words = [
    ...(outcome.refusal === null ? [] : [`refused: ${outcome.refusal}`]),
    ...(outcome.failure === null ? [] : [`FAILED: ${outcome.failure}`]),
    ...outcome.faults.map((fault) => `WRONG ${fault}`),
    ...[...new Set(outcome.inline)].map((reason) => `answered from the source: ${reason}`),
  ];
  return [endpoint.padEnd(16), ...cells, ...words].join(' ');
}

/** How many of its queries must be possible with variables; of those as constants, all. */
const leastWithVariables: Readonly<Record<string, number>> = { tpch: 20, ssb: 13, clickbench: 43 };

/** A read that finds so few rows is meant to take no longer. */
const fewRows = 1000;
const shortMs = 3;

const digits = (number: number) => number.toLocaleString('en');

export function figuresOf(
  suite: Suite,
  form: Form,
  outcomes: readonly Outcome[],
): readonly Figure[] {
  const own = outcomes.filter((each) => each.form === form);
  const planned = own.filter(({ refusal }) => refusal === null);
  const timed = planned.flatMap(({ stored, source, floor }) =>
    stored === null || source === null || floor === null
      ? []
      : [{ stored, source, floor, gain: source / stored }],
  );
  const short = planned.flatMap(({ stored, rows, rowsRead, isKeyed, inline }) =>
    stored === null || !isKeyed || rows > fewRows || inline.length > 0
      ? []
      : [{ stored, rowsRead }],
  );
  const name = `${suite.title}, ${form === 'constants' ? 'as it is' : 'with variables'}`;
  const all = suite.queries.length;
  const least = form === 'constants' ? all : (leastWithVariables[suite.name] ?? all);
  const one = (measure: string, value: number, target?: Figure['target']) =>
    figure(name, measure, { samples: [value], ...(target ? { target } : {}) });
  return [
    one(`of ${all} queries can be materialized`, planned.length, { atLeast: least }),
    one(
      'failed their first sync',
      count(planned, ({ failure }) => failure !== null),
      { atMost: 0 },
    ),
    one(
      'answers compared',
      planned.reduce((sum, { compared }) => sum + compared, 0),
    ),
    one(
      'wrong answers',
      planned.reduce((sum, { faults }) => sum + faults.length, 0),
      { atMost: 0 },
    ),
    one('ms stored, median of the queries', median(timed.map(({ stored }) => stored))),
    one('ms inline, median of the queries', median(timed.map(({ source }) => source))),
    one('ms of SELECT 1 in the same time', median(timed.map(({ floor }) => floor))),
    one('times as fast, median of the queries', median(timed.map(({ gain }) => gain))),
    ...(short.length === 0
      ? []
      : [
          one(`find at most ${digits(fewRows)} rows by the sorting key`, short.length),
          one('ms stored, median of these', median(short.map(({ stored }) => stored))),
          one('rows read, median of these', median(short.map(({ rowsRead }) => rowsRead))),
          one('rows read, most of these', Math.max(...short.map(({ rowsRead }) => rowsRead))),
          one(
            `of these take at most ${shortMs} ms`,
            count(short, ({ stored }) => stored <= shortMs),
          ),
        ]),
    one(
      'queries slower than inline',
      count(timed, ({ gain }) => gain < 1),
    ),
  ];
}

function count<T>(list: readonly T[], is: (each: T) => boolean): number {
  return list.filter(is).length;
}
