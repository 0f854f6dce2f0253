/** Settings of the documents that GraphQL takes. */
import { z } from 'zod';
import { setting } from './setting.ts';

export const graphqlSettings = {
  persistedFile: setting<string>(
    'GRAPHQL_PERSISTED_FILE',
    'file',
    '',
    z.string(),
    'A JSON object of hash → document, whose documents callers may name by their SHA-256. Empty: none.',
  ),
  persistedOnly: setting<boolean>(
    'GRAPHQL_PERSISTED_ONLY',
    'true or false',
    false,
    z.enum(['true', 'false']).transform((v) => v === 'true'),
    'Whether to take the documents of that file only.',
  ),
} as const;
