/** The variables of a generated query, each with one value for each of the runs that are compared. */

import type { Kind, Pool } from './columns.ts';
import type { Random } from './random.ts';

/** The run sends no value, so that the default applies. */
export const omitted = Symbol('omitted');

export interface Variable {
  readonly name: string;
  /** One per run. */
  readonly values: readonly unknown[];
  /** As a member of `variables` of the query; null: typed and without a default. */
  readonly definition: Readonly<Record<string, unknown>> | null;
}

/** What is compared with a variable. */
export interface Compared {
  readonly kind: Kind;
  /** Without Nullable and LowCardinality. */
  readonly type: string;
  readonly pool: Pool;
}

export interface Variables {
  readonly all: readonly Variable[];
  /** A placeholder of about the type of what it is compared with. */
  scalar(compared: Compared): string;
  /** The two ends of a range: all, a part, one value, and two ranges of any kind. */
  range(compared: Compared): readonly [string, string];
  /** May be NULL, and is in some runs. */
  optional(compared: Compared): string;
  /** May be empty, and is in some runs. */
  list(compared: Compared): string;
  /** Of exactly these values, in turn. */
  given(type: string, values: readonly unknown[]): string;
  /** `{variables.name}`; null for kinds that have none. */
  legacy(compared: Compared): string | null;
}

/** Sets of values that each query is run with. */
export const runs = 5;

export function openVariables(random: Random): Variables {
  const all: Variable[] = [];
  const add = (values: readonly unknown[], type: string) => {
    const name = `${random.pick(['v', 'from', 'x_', 'Wanted'])}${all.length}`;
    const isDefaulted = random.chance(0.12);
    const last = isDefaulted ? values.with(-1, omitted) : values;
    const value = values.find((each) => each !== null) ?? values[0];
    all.push({ name, values: last, definition: isDefaulted ? { code_name: name, value } : null });
    return `{${name}:${type}}`;
  };
  return {
    all,
    scalar(compared) {
      const { type, change } = typeFor(random, compared);
      return add(scalarValues(random, compared.pool).map(change), type);
    },
    range(compared) {
      const { type, change } = typeFor(random, compared);
      const [from, to] = rangeValues(random, compared.pool);
      return [add(from.map(change), type), add(to.map(change), type)];
    },
    optional(compared) {
      const { type, change } = typeFor(random, compared);
      const values = scalarValues(random, compared.pool).map(change);
      const inner = /^LowCardinality\((.*)\)$/.exec(type)?.[1] ?? type;
      return add(values.with(4, null).with(random.pick([0, 3]), null), `Nullable(${inner})`);
    },
    list(compared) {
      const { type, change } = typeFor(random, compared);
      const { present, edges, absent } = compared.pool;
      const lists = [
        random.some(present, 1, 3),
        [random.pick(present), ...random.some(absent, 1, 1)],
        random.some(edges, 1, 2),
        random.some(absent, 1, 2),
        [],
      ];
      const values = lists.map((list) => list.map(change));
      return add(random.chance(0.3) ? values.with(0, []) : values, `Array(${type})`);
    },
    given: (type, values) =>
      add(
        Array.from({ length: runs }, (_n, at) => values[at % values.length]),
        type,
      ),
    legacy({ kind, pool }) {
      const type = legacyTypes[kind];
      if (type === undefined) return null;
      const name = `old${all.length}`;
      const values = scalarValues(random, pool);
      const isDefaulted = random.chance(0.4);
      all.push({
        name,
        values: isDefaulted ? values.with(-1, omitted) : values,
        definition: { code_name: name, type, ...(isDefaulted ? { value: values[0] } : {}) },
      });
      return `{variables.${name}}`;
    },
  };
}

const legacyTypes: Partial<Record<Kind, string>> = {
  int: 'Number',
  decimal: 'Number',
  float: 'Number',
  text: 'String',
  enum: 'String',
  date: 'Date',
  time: 'Date',
  bool: 'Boolean',
};

/** Of the data, at borders, absent, and any. */
function scalarValues(random: Random, { present, edges, absent }: Pool): readonly unknown[] {
  return [
    present[random.int(0, Math.min(1, present.length - 1))],
    random.pick(present),
    random.pick(edges),
    random.pick(absent),
    random.pick([...present, ...edges]),
  ];
}

/** The lower ends and the upper ends. */
function rangeValues(
  random: Random,
  { present, edges, absent }: Pool,
): readonly [readonly unknown[], readonly unknown[]] {
  const all = [...present, ...edges];
  const pairs = [
    [edges[0], edges[1] ?? random.pick(present)],
    inOrder(random.pick(present), random.pick(all)),
    [present[0], present[0]],
    [random.pick(all), random.pick(absent)],
    inOrder(random.pick(all), random.pick(all)),
  ];
  return [pairs.map(([from]) => from), pairs.map(([, to]) => to)];
}

function inOrder(one: unknown, other: unknown): readonly unknown[] {
  const [a, b] = [Number(one), Number(other)];
  const isLater = Number.isNaN(a) || Number.isNaN(b) ? textOf(one) > textOf(other) : a > b;
  return isLater ? [other, one] : [one, other];
}

interface Typed {
  readonly type: string;
  readonly change: (value: unknown) => unknown;
}

const same = (value: unknown) => value;
const textOf = (value: unknown) => String(value);

/** Mostly the type itself, else one that the engine compares with it. */
function typeFor(random: Random, { kind, type }: Compared): Typed {
  const own: Typed = { type: kind === 'enum' ? 'String' : type, change: ownChange(type) };
  const others = random.chance(0.3) ? otherTypes[kind] : undefined;
  return others === undefined ? own : random.pick(others);
}

function ownChange(type: string): Typed['change'] {
  if (/^DateTime(?!64)/.test(type)) return (value) => textOf(value).slice(0, 19);
  if (type.startsWith('UInt')) return (value) => (Number(value) < 0 ? 0 : value);
  const decimals = /^Decimal\(\d+, (\d)\)$/.exec(type)?.[1];
  if (decimals !== undefined) return (value) => cutDecimals(textOf(value), Number(decimals));
  return same;
}

function cutDecimals(text: string, decimals: number): string {
  const [whole = '', part = ''] = text.split('.');
  return part === '' ? whole : `${whole}.${part.slice(0, decimals)}`;
}

const atMidnight = (value: unknown) => `${textOf(value).slice(0, 10)} 00:00:00`;
const otherTypes: Partial<Record<Kind, readonly Typed[]>> = {
  int: [
    { type: 'Int64', change: same },
    { type: 'Float64', change: (value) => Number(value) + 0.5 },
    { type: 'Float64', change: Number },
  ],
  decimal: [
    { type: 'Float64', change: Number },
    { type: 'Decimal(18, 4)', change: textOf },
    { type: 'Int32', change: (value) => Math.trunc(Number(value)) },
  ],
  float: [
    { type: 'Int32', change: (value) => Math.trunc(Number(value)) },
    { type: 'Float32', change: Number },
  ],
  date: [
    { type: 'String', change: textOf },
    { type: 'Date32', change: same },
    { type: 'Date', change: same },
    { type: 'DateTime', change: atMidnight },
    { type: 'DateTime64(3)', change: atMidnight },
  ],
  time: [
    { type: 'String', change: textOf },
    { type: 'Date', change: (value) => textOf(value).slice(0, 10) },
    { type: 'DateTime64(3)', change: textOf },
    { type: 'Date32', change: (value) => textOf(value).slice(0, 10) },
    { type: 'DateTime64(6)', change: textOf },
  ],
  // Not FixedString: the engine's index over a String loses rows that equal a padded one.
  text: [{ type: 'LowCardinality(String)', change: same }],
  uuid: [{ type: 'String', change: same }],
  bool: [{ type: 'UInt8', change: Number }],
  big: [{ type: 'Int64', change: (value) => (textOf(value).length > 18 ? '-1' : value) }],
};
