/** A run as program code. It never contains the key, which programs read from their environment. Pure. */
import { parseExact, toJson } from '../api/exact-json.ts';
import { wrappedType } from './clickhouse-types.ts';

export interface CopiedRun {
  readonly origin: string;
  readonly projectId: string;
  readonly name: string;
  readonly version: number | null;
  readonly limit: number;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly orderBy: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export const copyFormats: Readonly<Record<string, (run: CopiedRun) => string>> = {
  curl: asCurl,
  TypeScript: asTypeScript,
  Python: asPython,
  GraphQL: asGraphQL,
  'React hook': asReactHook,
};

/** What is undefined is not written. */
function bodyOf({ variables, limit, version, orderBy }: CopiedRun) {
  return {
    variables: Object.keys(variables).length > 0 ? variables : undefined,
    limit,
    version: version ?? undefined,
    order_by: orderBy.length > 0 ? orderBy : undefined,
    rows: 'objects',
  };
}

function urlOf({ origin, projectId, name }: CopiedRun): string {
  return `${origin}/api/projects/${encodeURIComponent(projectId)}/endpoints/${name}/run`;
}

/** Quotes any text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function asCurl(run: CopiedRun): string {
  return [
    `curl ${quoted(urlOf(run))}`,
    '-H "Authorization: Bearer $QUERYDOCK_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(toJson(bodyOf(run)))}`,
  ].join(' \\\n  ');
}

/** A literal of TypeScript. Digits that a double does not hold are JSON, of which its types do not know yet. */
function indented(value: unknown, by: string): string {
  return JSON.stringify(parseExact(toJson(value), '\\u0000'), null, 2)
    .replace(
      /"\\u0000([-\d.eE+]+)"/g,
      '(JSON as JSON & { rawJSON(text: string): unknown }).rawJSON("$1")',
    )
    .replaceAll('"__proto__":', '["__proto__"]:')
    .replaceAll('\n', `\n${by}`);
}

/** The TypeScript type of a column's JSON values. */
function valueType(type: string): string {
  const inner = wrappedType(type);
  if (inner !== null) return valueType(inner) + (type.startsWith('Nullable') ? ' | null' : '');
  if (/^(?:U?Int(?:8|16|32|64)|B?Float\d+)$/.test(type)) return 'number';
  if (type === 'Bool') return 'boolean';
  return /^(?:String|FixedString|UUID|Enum|IPv|Date|Decimal|U?Int)/.test(type)
    ? 'string'
    : 'unknown';
}

function rowType(run: CopiedRun): string {
  const members = run.columns.map(
    ({ name, type }) => `  ${JSON.stringify(name)}: ${valueType(type)};`,
  );
  return `interface Row {\n${members.join('\n')}\n}`;
}

function asTypeScript(run: CopiedRun): string {
  return `${rowType(run)}

const response = await fetch(${JSON.stringify(urlOf(run))}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.QUERYDOCK_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(bodyOf(run), '  ')}),
});
if (!response.ok) throw new Error((await response.json()).detail);
const { results } = (await response.json()) as { results: Row[] };
`;
}

function asPython(run: CopiedRun): string {
  const body = JSON.stringify(toJson(bodyOf(run)));
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(urlOf(run))},
    data=${body}.encode(),
    headers={
        "Authorization": f"Bearer {os.environ['QUERYDOCK_KEY']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    rows = json.load(response)["results"]
`;
}

/** For /graphql, with its variables as a second document. */
function asGraphQL(run: CopiedRun): string {
  const { projectId, name } = run;
  const { order_by: orderBy, ...others } = bodyOf(run);
  const input = { ...others, orderBy, rows: 'OBJECTS' };
  return `query Run($input: RunInput) {
  runEndpoint(projectId: ${JSON.stringify(projectId)}, name: ${JSON.stringify(name)}, input: $input) {
    results
    hasMore
    isCached
  }
}

# Variables:
# ${toJson({ input })}
`;
}

function asReactHook(run: CopiedRun): string {
  const hook = `use${run.name.replace(/(?:^|[_-]+)(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll('-', '')}`;
  return `import { useQuery } from '@tanstack/react-query';

${rowType(run)}

const usual = ${indented({ ...bodyOf(run), variables: run.variables }, '')};

/** \`apiKey\` is one that may only run endpoints: whoever opens the page can read it. */
export function ${hook}(apiKey: string, variables: Record<string, unknown> = {}) {
  return useQuery({
    queryKey: [${JSON.stringify(run.name)}, variables],
    queryFn: async ({ signal }): Promise<Row[]> => {
      const response = await fetch(${JSON.stringify(urlOf(run))}, {
        method: 'POST',
        signal,
        headers: { authorization: \`Bearer \${apiKey}\`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...usual, variables: { ...usual.variables, ...variables } }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.detail);
      return answer.results;
    },
  });
}
`;
}
