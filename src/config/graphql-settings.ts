/** GraphQL settings: limits of documents, and which documents are accepted. */
import { z } from 'zod';
import { setting, trueOrFalse, wholeNumber } from './setting.ts';

export const graphqlSettings = {
  maxQueryDepth: setting<number>(
    'GRAPHQL_MAX_DEPTH',
    'levels',
    12,
    wholeNumber(3, 100),
    'A deeper GraphQL document is refused.',
  ),
  maxQueryCost: setting<number>(
    'GRAPHQL_MAX_COST',
    'points',
    20_000,
    wholeNumber(100, 10_000_000),
    'A costlier GraphQL document is refused; a field costs one point, a list multiplies by its size.',
  ),
  maxQueryAliases: setting<number>(
    'GRAPHQL_MAX_ALIASES',
    'aliases',
    50,
    wholeNumber(1, 10_000),
    'A GraphQL document with more aliases is refused.',
  ),
  maxQueryRuns: setting<number>(
    'GRAPHQL_MAX_RUNS',
    'runs',
    20,
    wholeNumber(1, 10_000),
    'Maximum runs of one GraphQL request; each alias and each row of a list may be one.',
  ),
  maxQueryTokens: setting<number>(
    'GRAPHQL_MAX_TOKENS',
    'tokens',
    4000,
    wholeNumber(100, 1_000_000),
    'A longer GraphQL document is refused before it is parsed.',
  ),
  introspection: setting<boolean>(
    'GRAPHQL_INTROSPECTION',
    'true or false',
    true,
    trueOrFalse,
    'Whether the GraphQL schema can be read by introspection, as GraphiQL does.',
  ),
  persistedFile: setting<string>(
    'GRAPHQL_PERSISTED_FILE',
    'file',
    '',
    z.string(),
    'A JSON object of hash → document, whose documents callers may request by SHA-256. Empty: none.',
  ),
  persistedOnly: setting<boolean>(
    'GRAPHQL_PERSISTED_ONLY',
    'true or false',
    false,
    trueOrFalse,
    'Whether to accept only the documents in that file.',
  ),
} as const;
