import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { suggestFields } from '../../../src/graphql/data-graph/suggest-fields.ts';

it('never suggests the refused name, which an endpoint may have taken since', async () => {
  const sentence = 'Cannot query field "sales" on type "Query".';
  const suggest = async (near: readonly string[]) =>
    (await suggestFields([new GraphQLError(sentence)], async () => near)).map(
      ({ message }) => message,
    );
  expect(await suggest(['sales'])).toEqual([sentence]);
  expect(await suggest(['sales', 'sale'])).toEqual([`${sentence} Did you mean "sale"?`]);
});
