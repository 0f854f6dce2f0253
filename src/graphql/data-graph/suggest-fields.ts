/** Names for a root field that is not there: those that begin with the same letter and are spelt alike. */
import { GraphQLError } from 'graphql';
import { didYouMean } from '../../lib/nearest-name.ts';

const UNKNOWN = /^Cannot query field "(\w+)" on type "Query"\./;
/** Only that many names of a document are looked for. */
const maxLookedFor = 3;

/**
 * The errors with a suggestion for each unknown root field. Those of the library know only the part of the graph that the
 * document names.
 *
 * @param near the names that one may mean.
 */
export async function suggestFields(
  errors: readonly GraphQLError[],
  near: (field: string) => Promise<readonly string[]>,
): Promise<readonly GraphQLError[]> {
  const unknown = [...new Set(errors.flatMap(({ message }) => UNKNOWN.exec(message)?.[1] ?? []))];
  const hints = new Map(
    await Promise.all(
      unknown
        .slice(0, maxLookedFor)
        .map(async (name) => [name, didYouMean(name, await near(name))] as const),
    ),
  );
  return errors.map((error) => {
    const [sentence, name] = UNKNOWN.exec(error.message) ?? [];
    if (sentence === undefined || name === undefined) return error;
    const { nodes } = error;
    return new GraphQLError(`${sentence}${hints.get(name) ?? ''}`, { nodes: nodes ?? null });
  });
}
