/** A run as program code. It never contains the key, which programs read from their environment. Pure. */
import { toJson } from '../api/exact-json.ts';
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

function bodyOf({
  variables,
  limit,
  version,
  orderBy,
}: CopiedRun): Readonly<Record<string, unknown>> {
  return {
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    limit,
    ...(version === null ? {} : { version }),
    ...(orderBy.length === 0 ? {} : { order_by: orderBy }),
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

/** Whether a program's literal, which holds numbers as doubles and has no member `__proto__`, is the value. */
function isLiteral(value: unknown): boolean {
  const text = toJson(value);
  return JSON.stringify(JSON.parse(text)) === text && !text.includes('"__proto__":');
}

/** A literal of a program. */
function indented(value: unknown, by: string): string {
  return JSON.stringify(JSON.parse(toJson(value)), null, 2).replaceAll('\n', `\n${by}`);
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
  const given = bodyOf(run);
  const body = isLiteral(given)
    ? `JSON.stringify(${indented(given, '  ')})`
    : JSON.stringify(toJson(given));
  return `${rowType(run)}

const response = await fetch(${JSON.stringify(urlOf(run))}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.QUERYDOCK_KEY}\`,
    'content-type': 'application/json',
  },
  body: ${body},
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
  const { projectId, name, variables, limit, version, orderBy } = run;
  const input = {
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    limit,
    ...(version === null ? {} : { version }),
    ...(orderBy.length === 0 ? {} : { orderBy }),
    rows: 'OBJECTS',
  };
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
  const { variables: _, ...fixed } = bodyOf(run);
  const { usual, merged, body } = isLiteral(run.variables)
    ? hookOfValues(run, fixed)
    : hookOfTexts(run, fixed);
  const hook = `use${run.name.replace(/(?:^|[_-]+)(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll('-', '')}`;
  return `import { useQuery } from '@tanstack/react-query';

${rowType(run)}

${usual}

/** \`apiKey\` is one that may only run endpoints: whoever opens the page can read it. */
export function ${hook}(apiKey: string, variables: Record<string, unknown> = {}) {
  return useQuery({
    queryKey: [${JSON.stringify(run.name)}, variables],
    queryFn: async ({ signal }): Promise<Row[]> => {
${merged}      const response = await fetch(${JSON.stringify(urlOf(run))}, {
        method: 'POST',
        signal,
        headers: { authorization: \`Bearer \${apiKey}\`, 'content-type': 'application/json' },
        body: ${body},
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.detail);
      return answer.results;
    },
  });
}
`;
}

/** How a hook puts its variables over those of the run. */
interface HookVariables {
  readonly usual: string;
  readonly merged: string;
  readonly body: string;
}

type Fixed = Readonly<Record<string, unknown>>;

function hookOfValues(run: CopiedRun, fixed: Fixed): HookVariables {
  const members = Object.entries(fixed).map(
    ([name, value]) => `          ${name}: ${JSON.stringify(value)},`,
  );
  return {
    usual: `const usual = ${indented(run.variables, '')};`,
    merged: '',
    body: `JSON.stringify({
${members.join('\n')}
          variables: { ...usual, ...variables },
        })`,
  };
}

/** Where a literal would lose digits or a member, the values of the run are JSON texts. */
function hookOfTexts(run: CopiedRun, fixed: Fixed): HookVariables {
  const texts = Object.entries(run.variables).map(([name, value]) => [name, toJson(value)]);
  const start = JSON.stringify(JSON.stringify(fixed).slice(0, -1));
  return {
    usual: `/** As JSON, because a number of JavaScript would lose digits. */
const usual = new Map<string, string>(${indented(texts, '')});`,
    merged: `      const texts = new Map(usual);
      for (const [name, value] of Object.entries(variables)) {
        if (value === undefined) texts.delete(name);
        else texts.set(name, JSON.stringify(value));
      }
      const members = [...texts].map(([name, text]) => JSON.stringify(name) + ':' + text);
`,
    body: `${start} + ',"variables":{' + members.join(',') + '}}'`,
  };
}
