import { createConfig, lintFromString } from '@redocly/openapi-core';

const config = createConfig({ extends: ['recommended'] });

/** What Redocly's recommended rules say of a document, errors and warnings, as `rule at place: message`. */
export async function lint(document: unknown): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/document.json',
    config: await config,
  });
  return problems.map(({ ruleId, message, location }) => {
    return `${ruleId} at ${location[0]?.pointer ?? '?'}: ${message}`;
  });
}
