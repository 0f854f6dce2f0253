import { createConfig, lintFromString } from '@redocly/openapi-core';

const config = createConfig({
  extends: ['recommended-strict'],
  // The contract says that an endpoint's document states no licence: the data is not ours to license.
  rules: { 'info-license': 'off' },
});

/**
 * What the linter may say: the body of an operation is inline, because openapi-typescript makes a member with a default
 * a required one in a component; clients of the compatible API look it up under this name.
 */
const expected =
  'no-unused-components at #/components/schemas/EndpointRunRequest: Component: "EndpointRunRequest" is never used.';

/** What Redocly's strict rules say of a document, as `rule at place: message`. */
export async function lint(document: unknown): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/document.json',
    config: await config,
  });
  return problems
    .map(({ ruleId, message, location }) => {
      return `${ruleId} at ${location[0]?.pointer ?? '?'}: ${message}`;
    })
    .filter((problem) => problem !== expected);
}
