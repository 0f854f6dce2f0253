/** Groups of which a run takes every row or none: they are stored with their results, and nothing is put together. */
import { type Context, stored, variableExpressions } from './context.ts';
import { type GroupKey, type GroupParts, keyAt } from './group-parts.ts';
import { resultColumnOf } from './ordering.ts';
import { identifiersIn, nameOf, type Span, textOf } from './span.ts';
import { isIdentity, isKeyable } from './storable.ts';

/** Types of the stored columns by name. */
type Types = ReadonlyMap<string, string>;

/**
 * Whether what each variable is compared with is the same in all rows of a group: because the variable chooses one
 * value of it, or because it follows from the group's keys.
 */
export async function areGroupsWhole(
  context: Context,
  parts: GroupParts,
  types: Types,
): Promise<boolean> {
  const expressions = variableExpressions(context.condition.predicates);
  if (parts.keys.length === 0 || expressions.length === 0) return false;
  const single = await columnsOfOneValue(context, types);
  const keys = spelledKeys(context, parts, types);
  return expressions.every((span, at) => single.has(at) || followsFrom(keys, span));
}

/** The variable columns of which a read takes exactly one value. */
async function columnsOfOneValue(
  { condition: { predicates }, analysis, parameters }: Context,
  types: Types,
): Promise<ReadonlySet<number>> {
  const given = predicates.map(({ right }, at) => `${textOf(right)} AS g${at}`);
  const rights = await analysis.describe(`SELECT ${given.join(', ')}`, parameters.samples);
  const single = predicates.filter(({ kind, column }, at) => {
    const type = types.get(stored.variable(column)) ?? '';
    return kind === 'equal' && isIdentity(type, rights[at]?.type ?? '');
  });
  return new Set(single.map(({ column }) => column));
}

/**
 * Each key in every way that WHERE may spell it. None of a type of which a group may hold several values that
 * count as equal: 0 and -0. None at all where a result has the name of a column that it is computed from, since the
 * same words then mean another thing in WHERE.
 */
function spelledKeys({ select }: Context, parts: GroupParts, types: Types): readonly GroupKey[] {
  const isShadowing = select.items.some(({ expression, alias }) =>
    identifiersIn(expression).some((at) => {
      const token = expression[at];
      return token !== undefined && nameOf(token) === alias;
    }),
  );
  if (isShadowing) return [];
  return parts.keys
    .filter(({ column }) => isKeyable(types.get(column) ?? ''))
    .flatMap((key) => {
      const at = resultColumnOf(key.expression, select.items);
      const item = at === null ? undefined : select.items[at];
      return item === undefined ? [key] : [key, { ...key, expression: item.expression }];
    });
}

/** Whether the expression uses nothing but keys. */
function followsFrom(keys: readonly GroupKey[], span: Span): boolean {
  const identifiers = new Set(identifiersIn(span));
  for (let at = 0; at < span.length; ) {
    const key = keyAt(span, at, keys);
    if (key === null && identifiers.has(at)) return false;
    at += key?.expression.length ?? 1;
  }
  return true;
}
