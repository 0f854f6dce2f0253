import { type GraphQLSchema, isObjectType } from 'graphql';
import { invalidInput } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';

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
  if (cursor === null || cursor === undefined) return;
  const id = CURSOR.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1] ?? '';
  if (!isUuid(id))
    throw invalidInput(name, `${name} must be a cursor returned by a list of this kind.`);
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** Wraps every connection of the schema so that its page arguments are checked before it is resolved. */
export function checkPages(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined || !field.args.some(({ name }) => name === 'after')) continue;
      field.resolve = (source, args: PageArgs, context, info) => {
        requirePage(args);
        return resolve(source, args, context, info);
      };
    }
  }
  return schema;
}
