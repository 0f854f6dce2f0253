/** The output when the service is ready. Pure. */

export interface ReadyFacts {
  readonly url: string;
  /** Since the process started. */
  readonly seconds: number;
  /** Null for a service without the demo. */
  readonly demo: {
    readonly projectId: number;
    readonly apiKey: string;
    readonly file: string;
    readonly isSpread: boolean;
  } | null;
  /** Number of local ClickHouse nodes; null for a single one or an external engine. */
  readonly nodes: number | null;
}

export function readyBlock(facts: ReadyFacts): string {
  const { url, seconds, demo, nodes } = facts;
  const rows = [
    ['Console', `${url}/`],
    ['GraphiQL', `${url}/graphql`],
    ['Data graph', `${url}/api/projects/@current/graphql`],
    ['REST docs', `${url}/api/docs`],
    [
      'API key',
      demo === null
        ? 'querydock key create --project <id or name> --scope endpoint:read'
        : `${demo.file} (api_key)`,
    ],
    ...(nodes === null ? [] : [['ClickHouse', nodesLine(nodes, demo?.isSpread === true)]]),
  ];
  return [
    '',
    `Querydock is ready (${seconds.toFixed(1)} s).`,
    '',
    ...rows.map(([label = '', text = '']) => `  ${label.padEnd(11)}${text}`),
    '',
    `  ${curlLine(facts)}`,
    '',
    'Stop it with Ctrl-C.',
    '',
  ].join('\n');
}

function nodesLine(nodes: number, isSpread: boolean): string {
  return `${nodes} nodes on this machine${isSpread ? '; the table flights has a shard on each' : ''}`;
}

/** Works when pasted into a shell. */
function curlLine({ url, demo }: ReadyFacts): string {
  if (demo === null) return `curl '${url}/readyz'`;
  const run = `${url}/api/projects/${demo.projectId}/endpoints/busiest_routes/run?limit=5`;
  return `curl -H 'Authorization: Bearer ${demo.apiKey}' '${run}'`;
}
