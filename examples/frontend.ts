/**
 * Calls one endpoint by GraphQL and by REST with fetch alone, as a web page would.
 * Needs a running demo: npm start. Run with Node 24: node examples/frontend.ts [folder of demo.json]
 *
 * Give a page its own read-only key: querydock key create --project flights --scope endpoint:read
 */
import { readFileSync } from 'node:fs';

interface Demo {
  readonly graphql_url: string;
  readonly url: string;
  readonly project_id: number;
  readonly api_key: string;
}

const folder = process.argv[2] ?? './.data';
const demo = JSON.parse(readFileSync(`${folder}/demo.json`, 'utf8')) as Demo;
const headers = {
  Authorization: `Bearer ${demo.api_key}`,
  'Content-Type': 'application/json',
};

interface Run {
  readonly columns: readonly string[];
  readonly results: readonly (readonly unknown[])[];
}

async function byGraphQL(origin: string): Promise<Run> {
  const query = `query Destinations($variables: JSON) {
    runEndpoint(projectId: "@current", name: "destinations", input: { variables: $variables, limit: 3 }) {
      columns
      results
    }
  }`;
  const body = JSON.stringify({ query, variables: { variables: { origin } } });
  const response = await fetch(demo.graphql_url, { method: 'POST', headers, body });
  const { data, errors } = (await response.json()) as {
    readonly data?: { readonly runEndpoint: Run };
    readonly errors?: readonly { readonly message: string }[];
  };
  if (data === undefined) throw new Error(errors?.[0]?.message ?? `HTTP ${response.status}`);
  return data.runEndpoint;
}

async function byRest(origin: string): Promise<Run> {
  const url = `${demo.url}/api/projects/${demo.project_id}/endpoints/destinations/run`;
  const body = JSON.stringify({ variables: { origin }, limit: 3 });
  const response = await fetch(url, { method: 'POST', headers, body });
  const result = (await response.json()) as Run & { readonly detail?: string };
  if (!response.ok) throw new Error(result.detail ?? `HTTP ${response.status}`);
  return result;
}

/** [['SFO', …]] and ['code', …] → [{ code: 'SFO', … }]. */
function toObjects({ columns, results }: Run): readonly Readonly<Record<string, unknown>>[] {
  return results.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
}

console.table(toObjects(await byGraphQL('SFO')));
console.table(toObjects(await byRest('SFO')));
