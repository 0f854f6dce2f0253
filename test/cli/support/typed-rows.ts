/** Rows by the data graph beside those by REST. */
import { type Caller, callGraphQL } from './calls.ts';

interface TypeText {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly description: string | null }[];
}

/** All rows of a field, each an object by the names of the query's own columns. */
export async function typedRows(
  caller: Caller,
  field: string,
  args: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const graph = { ...caller, url: `${caller.url}/api/projects/${caller.projectId}` };
  const rowType = `${field.charAt(0).toUpperCase()}${field.slice(1)}Row`;
  const described = await callGraphQL<{ __type: TypeText }>(
    graph,
    `{ __type(name: "${rowType}") { name fields { name description } } }`,
  );
  const columns = described.data?.__type.fields ?? [];
  // The description of a column begins with its own name.
  const selected = columns
    .map(({ name, description }) => `${description?.split(': ')[0]}: ${name}`)
    .join(' ');
  const run = await callGraphQL<Record<string, { readonly rows: never }>>(
    graph,
    `{ ${field}${args} { rows { ${selected} } } }`,
  );
  if (run.errors !== undefined) throw new Error(JSON.stringify(run.errors));
  return run.data?.[field]?.rows ?? [];
}
