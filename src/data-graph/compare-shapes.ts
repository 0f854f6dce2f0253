/** What a new shape of a field breaks for its callers. */
import { orderArgument } from './names.ts';
import type { GraphShape, ShapeArgument, ShapeEnum, TypeRef } from './shape.ts';
import { typeText } from './types.ts';

/** `field_renamed` concerns the endpoint's own field; the others concern the shape of a new version. */
export const breakingChangeKinds = [
  'field_renamed',
  'field_removed',
  'field_type_changed',
  'argument_removed',
  'argument_required',
  'argument_type_changed',
  'value_removed',
] as const;
type BreakingChangeKind = (typeof breakingChangeKinds)[number];

export interface BreakingChange {
  readonly kind: BreakingChangeKind;
  /** The field or argument: `airportDelays.rows.avgDelay`, `airportDelays(origin:)`. */
  readonly place: string;
  /** The difference, as a sentence. */
  readonly message: string;
}

/**
 * In the order of the current shape, arguments last. Empty when documents written for the current shape keep working.
 */
export function compareShapes(current: GraphShape, next: GraphShape): readonly BreakingChange[] {
  if (current.id === next.id) return [];
  return [
    ...compareFields(`${current.field}.rows`, current.columns, {
      own: next.columns,
      current,
      next,
    }),
    ...compareArguments(current, next),
    ...compareSorting(current, next),
  ];
}

interface Field {
  readonly name: string;
  readonly type: TypeRef;
}

interface Both {
  readonly current: GraphShape;
  readonly next: GraphShape;
}

function compareFields(
  place: string,
  fields: readonly Field[],
  { own, ...both }: Both & { readonly own: readonly Field[] },
): readonly BreakingChange[] {
  const byName = new Map(own.map((field) => [field.name, field]));
  return fields.flatMap((field) => {
    const at = `${place}.${field.name}`;
    const other = byName.get(field.name);
    if (other === undefined) {
      return [{ kind: 'field_removed', place: at, message: `${at} was removed.` } as const];
    }
    return compareTypes(at, [field.type, other.type], both);
  });
}

function compareTypes(
  place: string,
  [was, is]: readonly [TypeRef, TypeRef],
  both: Both,
): readonly BreakingChange[] {
  if (!isReadable(was, is, both)) return [typeChange('field_type_changed', place, [was, is])];
  const [object, other] = [objectOf(was, both.current), objectOf(is, both.next)];
  if (object === null || other === null) return [];
  return compareFields(place, object.fields, { own: other.fields, ...both });
}

/** Whether a reader of the first type can read the second: the same, or one that is no longer nullable. */
function isReadable(was: TypeRef, is: TypeRef, both: Both): boolean {
  if (was.nonNull && !is.nonNull) return false;
  if ('list' in was) return 'list' in is && isReadable(was.list, is.list, both);
  if ('list' in is) return false;
  const [object, other] = [objectOf(was, both.current), objectOf(is, both.next)];
  // Object members are compared one by one.
  return object === null || other === null ? was.name === is.name : true;
}

function objectOf(type: TypeRef, { objects }: GraphShape): GraphShape['objects'][number] | null {
  const name = innermost(type);
  return objects.find((object) => object.name === name) ?? null;
}

function innermost(type: TypeRef): string {
  return 'list' in type ? innermost(type.list) : type.name;
}

function typeChange(
  kind: BreakingChangeKind,
  place: string,
  [was, is]: readonly [TypeRef, TypeRef],
): BreakingChange {
  return {
    kind,
    place,
    message: `The type of ${place} changed from ${typeText(was)} to ${typeText(is)}.`,
  };
}

function compareArguments(
  { field, args, ...current }: GraphShape,
  next: GraphShape,
): readonly BreakingChange[] {
  const nextByName = new Map(next.args.map((arg) => [arg.name, arg]));
  const names = new Set(args.map(({ name }) => name));
  const kept = args.flatMap((arg) => {
    const place = `${field}(${arg.name}:)`;
    const other = nextByName.get(arg.name);
    if (other !== undefined)
      return compareArgument(place, [arg, other], [current.enums, next.enums]);
    return [{ kind: 'argument_removed', place, message: `${place} was removed.` } as const];
  });
  const added = next.args
    .filter((arg) => arg.isRequired && !names.has(arg.name))
    .map(({ name }) => nowRequired(`${field}(${name}:)`));
  return [...kept, ...added];
}

function compareArgument(
  place: string,
  [was, is]: readonly [ShapeArgument, ShapeArgument],
  [enums, nextEnums]: readonly [readonly ShapeEnum[], readonly ShapeEnum[]],
): readonly BreakingChange[] {
  if (!isAccepted({ ...was.type, nonNull: true }, { ...is.type, nonNull: true })) {
    return [typeChange('argument_type_changed', place, [was.type, is.type])];
  }
  if (is.isRequired && !was.isRequired) return [nowRequired(place)];
  if (!isAccepted(was.type, is.type)) {
    return [{ kind: 'argument_type_changed', place, message: `${place} can no longer be null.` }];
  }
  const name = innermost(was.type);
  const membersOf = (all: readonly ShapeEnum[]): readonly string[] =>
    all.find((one) => one.name === name)?.members ?? [];
  return missingValues(place, membersOf(enums), membersOf(nextEnums));
}

/** Whether values accepted for the first type are accepted for the second. */
function isAccepted(was: TypeRef, is: TypeRef): boolean {
  if (is.nonNull && !was.nonNull) return false;
  if ('list' in was) return 'list' in is && isAccepted(was.list, is.list);
  return !('list' in is) && was.name === is.name;
}

function nowRequired(place: string): BreakingChange {
  return { kind: 'argument_required', place, message: `${place} is now required.` };
}

function missingValues(
  place: string,
  members: readonly string[],
  next: readonly string[],
): readonly BreakingChange[] {
  return members
    .filter((member) => !next.includes(member))
    .map((member) => ({
      kind: 'value_removed',
      place,
      message: `${place} no longer accepts ${member}.`,
    }));
}

/** Columns that still exist but can no longer be sorted by. */
function compareSorting(current: GraphShape, next: GraphShape): readonly BreakingChange[] {
  const columns = new Set(next.columns.map(({ name }) => name));
  const kept = current.sortable.filter((name) => columns.has(name));
  return missingValues(`${current.field}(${orderArgument}:)`, kept, next.sortable);
}
