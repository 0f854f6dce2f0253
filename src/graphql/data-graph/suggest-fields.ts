/** Suggestions for an unknown root field: names with the same first letter and a similar spelling. */
import { GraphQLError } from 'graphql';
import { didYouMean } from '../../lib/nearest-name.ts';

const UNKNOWN = /^Cannot query field "(\w+)" on type "Query"\./;
/** Maximum number of a document's names to find suggestions for. */
const maxLookedFor = 3;

/**
 * The errors, with a suggestion for each unknown root field. The library's suggestions only cover the part of the data
 * graph that the document names. Never suggests the refused name: an endpoint may have taken it since.
 *
 * @param near returns candidate names.
 */
export async function suggestFields(
  errors: readonly GraphQLError[],
  near: (field: string) => Promise<readonly string[]>,
): Promise<readonly GraphQLError[]> {
  const unknown = [...new Set(errors.flatMap(({ message }) => UNKNOWN.exec(message)?.[1] ?? []))];
  const hints = new Map(
    await Promise.all(
      unknown.slice(0, maxLookedFor).map(async (name) => {
        const others = (await near(name)).filter((other) => other !== name);
        return [name, didYouMean(name, others)] as const;
      }),
    ),
  );
  return errors.map((error) => {
    const [sentence, name] = UNKNOWN.exec(error.message) ?? [];
    if (sentence === undefined || name === undefined) return error;
    const { nodes } = error;
    return new GraphQLError(`${sentence}${hints.get(name) ?? ''}`, { nodes: nodes ?? null });
  });
}
