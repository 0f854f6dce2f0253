/** The engine sort order of a field's rows, which a document sets with the field's argument `orderBy`. Pure. */
import {
  type ArgumentNode,
  type FieldNode,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  OperationTypeNode,
  TokenKind,
  type ValueNode,
} from 'graphql';
import { fromOrderBy } from '../run/grid-order.ts';
import type { GraphTable, ResponseContext } from './graph-tables.ts';

export interface GraphOrder {
  /** In the run's form, using the table's column names. */
  readonly orderBy: readonly string[];
  /** Whether the field can sort by the column with that index. */
  readonly takes: (column: number) => boolean;
  /** Returns the document with another order. */
  readonly write: (orderBy: readonly string[]) => string;
}

const argumentName = 'orderBy';

interface Term {
  readonly name: string;
  readonly descending: boolean;
}

/**
 * Null when the rows do not belong to a sortable field, or the document does not contain the order itself: it uses a
 * variable, or several selections. A cursor is only valid for one order.
 *
 * @param text the document's text.
 */
export function orderOf(
  { schema, document, operation }: ResponseContext,
  { path, columns, fields }: Pick<GraphTable, 'path' | 'columns' | 'fields'>,
  text: string,
): GraphOrder | null {
  const chosen = document.definitions.find(
    (one) =>
      one.kind === Kind.OPERATION_DEFINITION && (operation === '' || one.name?.value === operation),
  );
  if (chosen?.kind !== Kind.OPERATION_DEFINITION || path.length !== 2) return null;
  if (chosen.operation !== OperationTypeNode.QUERY) return null;
  const isPlain = chosen.selectionSet.selections.every(({ kind }) => kind === Kind.FIELD);
  const nodes = chosen.selectionSet.selections.filter(
    (one): one is FieldNode => one.kind === Kind.FIELD && (one.alias ?? one.name).value === path[0],
  );
  const [node] = nodes;
  if (node === undefined || nodes.length > 1 || !isPlain || hasCursor(node)) return null;
  const names = namesOf(schema.getQueryType()?.getFields()[node.name.value]);
  const given = node.arguments?.find(({ name }) => name.value === argumentName);
  const terms = given === undefined ? [] : termsOf(given.value);
  if (names === null || terms === null) return null;
  const takes = (column: number) => names.has(fields[column] ?? '');
  const orderBy = terms.flatMap(({ name, descending }) => {
    const column = columns[fields.indexOf(name)];
    return column === undefined ? [] : [`${descending ? '-' : '+'}${column.name}`];
  });
  const write = (next: readonly string[]) => {
    const list = fromOrderBy(columns, next).map(
      ({ column, descending }) => `{${descending ? 'desc' : 'asc'}: ${fields[column]}}`,
    );
    return withOrder(text, { node, given }, list);
  };
  return { orderBy, takes, write };
}

/** The columns that a field can sort by; null when it cannot sort. */
function namesOf(field: { readonly args: readonly { name: string; type: unknown }[] } | undefined) {
  const argument = field?.args.find(({ name }) => name === argumentName);
  if (argument === undefined) return null;
  const term = getNamedType(argument.type as Parameters<typeof getNamedType>[0]);
  if (!isInputObjectType(term)) return null;
  const { asc, desc } = term.getFields();
  const names = asc === undefined || desc === undefined ? null : getNamedType(asc.type);
  return isEnumType(names) ? new Set(names.getValues().map(({ name }) => name)) : null;
}

/** Null when the value is not a literal. */
function termsOf(value: ValueNode): readonly Term[] | null {
  if (value.kind === Kind.NULL) return [];
  const values = value.kind === Kind.LIST ? value.values : [value];
  const terms = values.map((one): Term | null => {
    const member = one.kind === Kind.OBJECT ? one.fields[0] : undefined;
    if (member?.value.kind !== Kind.ENUM) return null;
    return { name: member.value.value, descending: member.name.value === 'desc' };
  });
  return terms.every((term) => term !== null) ? terms : null;
}

function hasCursor({ arguments: given = [] }: FieldNode): boolean {
  const run = given.find(({ name }) => name.value === 'run')?.value;
  if (run === undefined || run.kind === Kind.NULL) return false;
  return run.kind !== Kind.OBJECT || run.fields.some(({ name }) => name.value === 'cursor');
}

function withOrder(
  text: string,
  { node, given }: { readonly node: FieldNode; readonly given: ArgumentNode | undefined },
  list: readonly string[],
): string {
  const replaced = (from: number | undefined, to: number | undefined, by: string) =>
    text.slice(0, from) + by + text.slice(to);
  const written = list.length === 0 ? '' : `${argumentName}: [${list.join(', ')}]`;
  const all = node.arguments ?? [];
  const nameEnd = node.name.loc?.end;
  if (given?.loc === undefined) {
    const first = all[0]?.loc?.start;
    return first === undefined
      ? replaced(nameEnd, nameEnd, `(${written})`)
      : replaced(first, first, `${written}, `);
  }
  if (written !== '') return replaced(given.loc.start, given.loc.end, written);
  const at = all.indexOf(given);
  const [before, after] = [all[at - 1], all[at + 1]];
  if (after !== undefined) return replaced(given.loc.start, after.loc?.start, '');
  if (before !== undefined) return replaced(before.loc?.end, given.loc.end, '');
  // It is the only argument, so its parentheses are removed too.
  let close = given.loc.endToken.next;
  while (close !== null && close.kind !== TokenKind.PAREN_R) close = close.next;
  return replaced(nameEnd, close?.end, '');
}
