/**
 * One program per generator: it runs `by_origin` by GET and by POST through the generated client, and holds the rows to
 * their types: a line under `@ts-expect-error` does not compile unless the line is an error.
 */
import type { GeneratorName } from './generate.ts';

/** The types of a row's members, and that no row may be read as what it is not. */
const checks = `
declare const process: { readonly env: Record<string, string | undefined> };
const headers = { Authorization: \`Bearer \${process.env['API_KEY']}\` };
type Row = { origin: string; day: string; flights: number; late: boolean; note: string | null };
function check(row: Row | undefined): void {
  if (row === undefined) return;
  const flights: number = row.flights;
  const note: string | null = row.note;
  void [flights, note];
}
`;

/** @param rows an expression of the client's own row type. */
const typed = (rows: string): string => `
type Own = NonNullable<typeof ${rows}>[number];
export const ownRow: Own = { origin: 'ABQ', day: '2001-01-01', flights: 1, late: true, note: null };
// @ts-expect-error a number is no text
export const wrongType: Own = { ...ownRow, flights: '1' };
// @ts-expect-error no column has this name
void ownRow.flight;
// @ts-expect-error a member is missing
export const incomplete: Own = { origin: 'ABQ' };
check(ownRow);
`;

const get = `{
  rows: 'objects' as const,
  'variables[origin]': 'ABQ',
  'variables[day]': '2001-01-02',
  'variables[many]': 2,
  'variables[late]': true,
  'variables[ids]': [7, 8],
  'variables[tags]': 'a,b',
  order_by: ['-flights' as const],
}`;
const post = `{
  variables: { origin: 'ABQ', day: '2001-01-02', many: 2, late: true, ids: [7, 8], tags: ['a', 'b'] },
  order_by: ['-flights' as const],
}`;

/** Of the document of the project, which has the built-in endpoint as well: follows the program of openapi-typescript. */
export const usageProgram = (runPath: string): string => `
const used = await client.GET('${runPath}', {
  params: { query: { rows: 'objects', 'variables[group_by]': 'endpoint', 'variables[step]': 'all' } },
});
const [line] = used.data?.results ?? [];
if (line === undefined) throw new Error('no usage');
export const runs: number = line.runs;
// @ts-expect-error not grouped by, it is null
export const path: string = line.path;
export const usage = used.data?.results;
`;

/** @param folder of the generated client. @param runPath of the endpoint. */
type Program = (where: {
  readonly folder: string;
  readonly baseUrl: string;
  readonly runPath: string;
}) => string;

const bodies: Readonly<Record<GeneratorName, Program>> = {
  openapiTypescript: ({ folder, baseUrl, runPath }) => `
import createClient from 'openapi-fetch';
import type { paths } from './${folder}/schema.ts';
const client = createClient<paths>({
  baseUrl: '${baseUrl}',
  headers,
  querySerializer: { array: { style: 'form', explode: false } },
});
const got = await client.GET('${runPath}', { params: { query: ${get} } });
const posted = await client.POST('${runPath}', { params: { query: { rows: 'objects' } }, body: ${post} });
const rows = got.data?.results;
${typed('rows')}
export const result = { got: got.data?.results, posted: posted.data?.results };
`,
  heyApi: ({ folder, baseUrl }) => `
import { client } from './${folder}/client.gen.js';
import { runByOrigin, runByOriginGet } from './${folder}/index.js';
client.setConfig({ baseUrl: '${baseUrl}', headers });
const got = await runByOriginGet({ query: ${get} });
const posted = await runByOrigin({ query: { rows: 'objects' }, body: ${post} });
const rows = got.data?.results;
${typed('rows')}
export const result = { got: got.data?.results, posted: posted.data?.results };
`,
  orval: ({ folder, baseUrl }) => `
import { runByOrigin, runByOriginGet } from './${folder}/client.ts';
const fetchPath = globalThis.fetch;
globalThis.fetch = (input, init) => fetchPath(new URL(String(input), '${baseUrl}'), init);
const got = await runByOriginGet(${get}, { headers });
const posted = await runByOrigin(${post}, { rows: 'objects' }, { headers });
if (got.status !== 200 || posted.status !== 200) throw new Error(JSON.stringify([got, posted]));
const rows = got.data.results;
${typed('rows')}
export const result = { got: got.data.results, posted: posted.data.results };
`,
  kubb: ({ folder, baseUrl }) => `
import { runByOrigin, runByOriginGet } from './${folder}/index.ts';
const config = { baseURL: '${baseUrl}', headers: { ...headers, 'Content-Type': 'application/json' } };
const got = await runByOriginGet(${get}, undefined, config);
const posted = await runByOrigin(${post}, { rows: 'objects' }, undefined, config);
const rows = got.results;
${typed('rows')}
export const result = { got: got.results, posted: posted.results };
`,
};

export function programOf(generator: GeneratorName, where: Parameters<Program>[0]): string {
  return checks + bodies[generator](where);
}
