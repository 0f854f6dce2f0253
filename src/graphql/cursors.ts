/** Where a page begins: at the position that its cursor had, whatever has become of the row since. */
import { invalidInput, type ServiceError } from '../errors/service-error.ts';
import { timeOfUuidv7 } from '../lib/ids.ts';

/** What the Prisma plugin makes of a page's arguments; `take` is negative for a page that ends at the cursor. */
interface CursorQuery {
  readonly cursor?: object;
  readonly take: number;
  readonly skip: number;
}

interface Page<Query, Where> {
  /** Without the cursor, whose row Prisma would have to find. */
  readonly query: Omit<Query, 'cursor'>;
  readonly where: Where | Record<string, never>;
}

type Beyond<T> = { readonly lt: T } | { readonly gt: T };

interface NewestFirst {
  readonly createdAt: { readonly lte: Date } | { readonly gte: Date };
  readonly id: Beyond<string>;
}

/**
 * For a list in the order of `createdAt` and `id`, newest first, whose ids were made at `createdAt`: the id alone tells
 * the position, so pages continue after rows that have been deleted or no longer match the filter.
 */
export function pageByCreation<Query extends CursorQuery>(
  given: Query,
  offset = 0,
): Page<Query, NewestFirst> {
  const { id, query } = splitCursor(given, offset);
  if (id === undefined) return { query, where: {} };
  const at = timeOfUuidv7(id);
  if (at === null) throw unknownCursor(nameOf(given));
  const isAfter = given.take > 0;
  return {
    query,
    where: {
      createdAt: isAfter ? { lte: at } : { gte: at },
      id: isAfter ? { lt: id } : { gt: id },
    },
  };
}

/**
 * For a list in another order, highest first: `find` reads the position of a row of the list by its id. Throws
 * `invalid_input` if there is none.
 */
export async function pageByPosition<Query extends CursorQuery, Position, Where>(
  given: Query,
  list: {
    readonly offset?: number;
    readonly find: (id: string) => Promise<Position | null>;
    readonly where: (position: Beyond<Position>) => Where;
  },
): Promise<Page<Query, Where>> {
  const { id, query } = splitCursor(given, list.offset ?? 0);
  if (id === undefined) return { query, where: {} };
  const position = await list.find(id);
  if (position === null) throw unknownCursor(nameOf(given));
  return { query, where: list.where(given.take > 0 ? { lt: position } : { gt: position }) };
}

export function unknownCursor(name: string): ServiceError {
  return invalidInput(name, `${name} must be a cursor returned by a list of this kind.`);
}

function splitCursor<Query extends CursorQuery>({ cursor, ...rest }: Query, offset: number) {
  const { id } = (cursor ?? {}) as { readonly id?: string };
  return { id, query: { ...rest, skip: offset } };
}

function nameOf({ take }: CursorQuery): 'after' | 'before' {
  return take > 0 ? 'after' : 'before';
}
