import { type GraphQLSchema, isObjectType } from 'graphql';
import { invalidInput } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';
import { isGiven } from '../lib/is-given.ts';
import type { GatewayContext } from './context.ts';
import { unknownCursor } from './cursors.ts';

/** The arguments of every connection. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly after?: string | null | undefined;
  readonly offset?: number | null | undefined;
}

/** The Prisma plugin's encoding of a cursor over a text column. */
const CURSOR = /^GPC:S:(.+)$/;

/** Throws `invalid_input` for an impossible page, naming the argument. */
export function requirePage(args: PageArgs): void {
  for (const name of ['first', 'last'] as const) {
    const size = args[name] ?? 0;
    if (size < 0) throw invalidInput(name, `${name} must be an integer, 0 or more.`);
  }
  for (const name of ['before', 'after'] as const) requireCursor(args[name], name);
  const backwards = isGiven(args.last) || isGiven(args.before);
  if (backwards && (isGiven(args.first) || isGiven(args.after))) {
    throw invalidInput('last', 'Use first and after, or last and before, but not both.');
  }
  if (backwards && isGiven(args.offset)) {
    throw invalidInput(
      'offset',
      'offset counts from the start; use it with first, not with last or before.',
    );
  }
}

function requireCursor(cursor: string | null | undefined, name: string): void {
  if (isGiven(cursor) && !isUuid(rowOf(cursor))) throw unknownCursor(name);
}

/** The id of the row that a cursor belongs to. */
function rowOf(cursor: string): string {
  return CURSOR.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1] ?? '';
}

/**
 * As `hasRow` in the extensions of a connection whose rows are read with their parent: whether the parent has the row
 * of a cursor. The plugin's own page would be empty, as the last one, if it has not.
 */
export type HasRow = (source: unknown, id: string, context: GatewayContext) => Promise<boolean>;

async function requireRow(args: PageArgs, hasRow: (id: string) => Promise<boolean>): Promise<void> {
  for (const name of ['before', 'after'] as const) {
    const cursor = args[name];
    if (isGiven(cursor) && !(await hasRow(rowOf(cursor)))) throw unknownCursor(name);
  }
}

/** Wraps every connection of the schema so that its page arguments are checked before it is resolved. */
export function checkPages(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, extensions } = field;
      const hasRow = extensions.hasRow as HasRow | undefined;
      if (resolve === undefined || !field.args.some(({ name }) => name === 'after')) continue;
      field.resolve = (source, args: PageArgs, context, info) => {
        requirePage(args);
        if (hasRow === undefined) return resolve(source, args, context, info);
        return requireRow(args, (id) => hasRow(source, id, context)).then(() =>
          resolve(source, args, context, info),
        );
      };
    }
  }
  return schema;
}
