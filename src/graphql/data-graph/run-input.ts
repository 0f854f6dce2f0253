/** Converts the arguments of a root field to the input of a run. */
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
  /** Version number for the field of an older version. */
  readonly version: number | null;
}

export interface RootRun {
  readonly input: RunInput;
  /** A subscription's interval; null for none. */
  readonly intervalSeconds: number | null;
  /** Id of the subscriber's content; null for none. */
  readonly lastContentId: string | null;
}

/**
 * Only what the document sets: the run fills in the defaults. Throws the GraphQLError of an argument whose variable has
 * an invalid value.
 *
 * @param values coerced variable values.
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

/** As `rootRunOf`. Throws `invalid_input` for arguments that only a subscription may use. */
export function queryRunOf(root: RootCall, values: Readonly<Record<string, unknown>>): RunInput {
  const { input, intervalSeconds, lastContentId } = rootRunOf(root, values);
  if (intervalSeconds !== null)
    throw invalidInput(
      'interval_seconds',
      'intervalSeconds applies only to subscriptions. Omit it.',
    );
  if (lastContentId !== null)
    throw invalidInput('last_content_id', 'lastContentId applies only to subscriptions. Omit it.');
  return input;
}

type RunOptionValues = Omit<RunInput, 'variables' | 'orderBy' | 'offset'> & {
  readonly offset?: unknown;
  readonly intervalSeconds?: number | null;
  readonly lastContentId?: string | null;
};

/** `@oneOf`: has exactly one member; the column's data graph name. */
interface OrderValue {
  readonly asc?: string;
  readonly desc?: string;
}

/** A variable that the request omits also omits its argument. */
function isGiven({ value }: ArgumentNode, values: Readonly<Record<string, unknown>>): boolean {
  return value.kind !== Kind.VARIABLE || Object.hasOwn(values, value.name.value);
}

const DIGITS = /^\d{1,16}$/;

/** BigInt also accepts strings. The run refuses anything that is not a whole number. */
function toOffset(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && DIGITS.test(value) ? Number(value) : Number.NaN;
}

/** In the run's form: a sign and the column's own name. */
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
