/** The arguments of a root field as the input of a run. */
import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  Kind,
} from 'graphql';
import { orderArgument, runArgument } from '../../data-graph/names.ts';
import type { GraphShape } from '../../data-graph/shape.ts';
import { invalidInput } from '../../errors/service-error.ts';
import type { RunInput } from '../../runs/run-request.ts';

/** A root field of a valid document. */
export interface RootCall {
  readonly shape: GraphShape;
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  /** Of the field of an older version: its number. */
  readonly version: number | null;
}

/** The run of a root field. */
export interface RootRun {
  readonly input: RunInput;
  /** What a subscription states; null: nothing. */
  readonly intervalSeconds: number | null;
  /** The id of the content that a subscriber has; null: it has none. */
  readonly lastContentId: string | null;
}

/**
 * Only what the document gives: the run fills in the defaults. Throws the GraphQLError of an argument whose variable has a
 * value that it does not take.
 *
 * @param values of the variables, coerced.
 */
export function rootRunOf(
  { shape, field, node, version }: RootCall,
  values: Readonly<Record<string, unknown>>,
): RootRun {
  const coerced = getArgumentValues(field, node, values);
  const given = new Set(
    (node.arguments ?? []).filter((one) => isGiven(one, values)).map(({ name }) => name.value),
  );
  const of = (name: string): unknown => (given.has(name) ? coerced[name] : undefined);
  const variables = shape.args.flatMap(({ name, source }) =>
    given.has(name) ? [[source, coerced[name]] as const] : [],
  );
  const {
    intervalSeconds = null,
    lastContentId = null,
    ...options
  } = (of(runArgument) ?? {}) as RunOptionValues;
  const input = {
    ...options,
    version: options.version ?? version,
    offset: toOffset(options.offset),
    orderBy: toOrder(shape, of(orderArgument) as readonly OrderValue[] | null | undefined),
    variables: Object.fromEntries(variables),
  };
  return { input, intervalSeconds, lastContentId };
}

/** As `rootRunOf`. Throws `invalid_input` for what only a subscription may state. */
export function queryRunOf(root: RootCall, values: Readonly<Record<string, unknown>>): RunInput {
  const { input, intervalSeconds, lastContentId } = rootRunOf(root, values);
  if (intervalSeconds !== null)
    throw invalidInput('interval_seconds', 'intervalSeconds is for subscriptions. Omit it.');
  if (lastContentId !== null)
    throw invalidInput('last_content_id', 'lastContentId is for subscriptions. Omit it.');
  return input;
}

type RunOptionValues = Omit<RunInput, 'variables' | 'orderBy' | 'offset'> & {
  readonly offset?: unknown;
  readonly intervalSeconds?: number | null;
  readonly lastContentId?: string | null;
};

/** `@oneOf`: has one of both, by the column's name in the graph. */
interface OrderValue {
  readonly asc?: string;
  readonly desc?: string;
}

/** A variable that the request leaves out leaves out its argument. */
function isGiven({ value }: ArgumentNode, values: Readonly<Record<string, unknown>>): boolean {
  return value.kind !== Kind.VARIABLE || Object.hasOwn(values, value.name.value);
}

const DIGITS = /^\d{1,16}$/;

/** BigInt takes texts, too. What is no whole number is refused by the run. */
function toOffset(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && DIGITS.test(value) ? Number(value) : Number.NaN;
}

/** As runs take it: a sign and the column's own name. */
function toOrder(
  { columns }: GraphShape,
  terms: readonly OrderValue[] | null | undefined,
): readonly string[] | null {
  if (terms === undefined || terms === null) return null;
  return terms.map(({ asc, desc }) => {
    const name = asc ?? desc;
    const column = columns.find((one) => one.name === name);
    if (column === undefined) throw new Error(`the order has no column ${name}`);
    return `${asc === undefined ? '-' : '+'}${column.source}`;
  });
}
