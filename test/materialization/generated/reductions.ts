/** Smaller forms of a query, for finding the smallest that still fails. Many of them make no sense to the engine. */
import type { Condition, Select, Source } from './spec.ts';

/** Each with one thing less, the largest things first. */
export function* reductions(select: Select): Generator<Select> {
  yield* withoutWholeParts(select);
  for (const at of select.joins.keys()) yield { ...select, joins: without(select.joins, at) };
  for (const where of conditionReductions(select.where)) yield { ...select, where };
  for (const having of conditionReductions(select.having)) yield { ...select, having };
  for (const [at] of select.items.entries()) {
    if (select.items.length > 1) yield { ...select, items: without(select.items, at) };
  }
  for (const at of select.groupBy.keys()) yield { ...select, groupBy: without(select.groupBy, at) };
  yield* withKeysOutOfGroups(select);
  for (const at of select.orderBy.keys()) yield { ...select, orderBy: without(select.orderBy, at) };
  for (const [at, { text }] of select.orderBy.entries()) {
    if (select.orderBy[at]?.direction !== '')
      yield { ...select, orderBy: select.orderBy.with(at, { text, direction: '' }) };
  }
  for (const at of select.named.keys()) yield { ...select, named: without(select.named, at) };
  yield* withSmallerSources(select);
}

function* withoutWholeParts(select: Select): Generator<Select> {
  for (const at of select.unions.keys()) yield { ...select, unions: without(select.unions, at) };
  for (const { select: next } of select.unions) yield next;
  if (select.from.kind === 'select') yield select.from.select;
  for (const { select: inner } of select.ctes) yield inner;
  for (const at of select.ctes.keys()) yield { ...select, ctes: without(select.ctes, at) };
  if (select.having !== null) yield { ...select, having: null };
  if (select.where !== null) yield { ...select, where: null };
  if (select.orderBy.length > 0) yield { ...select, orderBy: [], isWithTies: false };
  if (select.limitBy !== '') yield { ...select, limitBy: '' };
  if (select.offset !== null) yield { ...select, offset: null };
  if (select.isWithTies) yield { ...select, isWithTies: false };
  if (select.limit !== null) yield { ...select, limit: null, isWithTies: false };
  if (select.isDistinct) yield { ...select, isDistinct: false };
  if (select.grouping !== '') yield { ...select, grouping: '' };
  if (select.arrayJoin !== '') yield { ...select, arrayJoin: '' };
}

/** A key leaves SELECT, GROUP BY and ORDER BY at once. */
function* withKeysOutOfGroups(select: Select): Generator<Select> {
  for (const key of select.groupBy) {
    const isOther = (text: string) => text !== key;
    const items = select.items.filter(({ text, alias }) => isOther(text) && alias !== key);
    if (items.length === select.items.length || items.length === 0) continue;
    yield {
      ...select,
      items,
      groupBy: select.groupBy.filter(isOther),
      orderBy: select.orderBy.filter(({ text }) => isOther(text)),
    };
  }
}

function* withSmallerSources(select: Select): Generator<Select> {
  for (const from of sourceReductions(select.from)) yield { ...select, from };
  for (const [at, join] of select.joins.entries()) {
    for (const source of sourceReductions(join.source))
      yield { ...select, joins: select.joins.with(at, { ...join, source }) };
  }
  for (const [at, { name, select: inner }] of select.ctes.entries()) {
    for (const smaller of reductions(inner))
      yield { ...select, ctes: select.ctes.with(at, { name, select: smaller }) };
  }
  for (const [at, { kind, select: inner }] of select.unions.entries()) {
    for (const smaller of reductions(inner))
      yield { ...select, unions: select.unions.with(at, { kind, select: smaller }) };
  }
}

function* sourceReductions(source: Source): Generator<Source> {
  if (source.kind !== 'select') return;
  for (const select of reductions(source.select)) yield { ...source, select };
}

function* conditionReductions(condition: Condition | null): Generator<Condition> {
  if (condition === null || condition.kind === 'atom') return;
  if (condition.kind === 'not') {
    yield condition.part;
    for (const part of conditionReductions(condition.part)) yield { kind: 'not', part };
    return;
  }
  const { kind, parts } = condition;
  yield* parts;
  for (const at of parts.keys()) {
    const rest = without(parts, at);
    if (rest.length > 1) yield { kind, parts: rest };
  }
  for (const [at, part] of parts.entries()) {
    for (const smaller of conditionReductions(part)) yield { kind, parts: parts.with(at, smaller) };
  }
}

function without<T>(list: readonly T[], at: number): readonly T[] {
  return list.filter((_each, index) => index !== at);
}
