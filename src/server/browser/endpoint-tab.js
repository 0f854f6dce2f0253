/** The tab with a run of one endpoint that the page's URL describes. */

/** The run example from the endpoint's own OpenAPI document; null when the key may not read it. */
async function exampleOf({ project, name, params }, headers) {
  try {
    const version = params.has('version') ? `?version=${params.get('version')}` : '';
    const path = `/api/projects/${encodeURIComponent(project)}/endpoints/${encodeURIComponent(name)}`;
    const response = await fetch(`${path}/openapi.json${version}`, {
      headers: JSON.parse(headers),
    });
    return response.ok ? bodyExample(await response.json()) : null;
  } catch {
    return null;
  }
}

function bodyExample({ paths, components }) {
  const { requestBody } = Object.values(paths)[0].post;
  const name = requestBody.$ref?.split('/').pop();
  const body = name === undefined ? requestBody : components.requestBodies[name];
  return body.content['application/json'].example ?? {};
}

/** Values from the URL in the format of the console's form: `v.NAME`, one line per list element. */
function withParams(values, params) {
  const given = Object.entries(values).map(([name, usual]) => {
    const text = params.get(`v.${name}`);
    return [name, text === null ? usual : valueLike(usual, text)];
  });
  return Object.fromEntries(given);
}

/** Without the endpoint's types, values stay texts, which the service parses by their type. */
function textsIn(params) {
  const given = [...params].filter(([name]) => /^v\.[A-Za-z_]\w*$/.test(name));
  return Object.fromEntries(given.map(([name, text]) => [name.slice(2), text]));
}

/** Digits that a double would lose stay a string, which the service parses as a number. */
function valueLike(usual, text) {
  if (Array.isArray(usual)) {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => valueLike(usual[0], line));
  }
  if (typeof usual === 'boolean') return text === 'true';
  if (typeof usual === 'number' && text.trim() === String(Number(text))) return Number(text);
  return text;
}

/** Options of the run; a URL without any gets a few rows. */
function options(params) {
  const digits = (name) => (/^\d+$/.test(params.get(name) ?? '') ? params.get(name) : null);
  const version = digits('version');
  const refresh = params.get('refresh');
  const order = params.getAll('order');
  return [
    `limit: ${digits('limit') ?? 10}`,
    ...(version === null ? [] : [`version: ${version}`]),
    ...(order.length === 0 ? [] : [`orderBy: ${JSON.stringify(order)}`]),
    ...(refresh === 'force' || refresh === 'direct' ? [`refresh: ${refresh}`] : []),
  ];
}

/** GraphiQL marks a list as invalid for the type JSON. */
function typeOf(value) {
  return Array.isArray(value) ? `[${typeOf(value[0])}]` : 'JSON';
}

/**
 * Each value is passed through a variable of the document, because GraphiQL marks an inline object as invalid for the
 * type JSON.
 *
 * @param params the URL's parameters: `v.NAME`, `version`, `limit`, `order` and `refresh`, as in the console.
 * @param headers the tab's headers as JSON.
 */
export async function endpointTab({ project, name, params }, headers) {
  const example = await exampleOf({ project, name, params }, headers);
  const values = example === null ? textsIn(params) : withParams(example.variables ?? {}, params);
  const names = Object.keys(values);
  const hint =
    example === null
      ? '# Put your API key into Headers, below, and open\n# this page again: it then fills the variables.\n'
      : '';
  const operation = name.replace(/[^A-Za-z0-9_]/g, '_');
  const declared = names
    .map((variable) => `\n  $${variable}: ${typeOf(values[variable])}`)
    .join('');
  const given = names.map((variable) => `\n        ${variable}: $${variable}`).join('');
  const variables = names.length === 0 ? '' : `\n      variables: {${given}\n      }`;
  const query = `# Runs the endpoint ${name}.
${hint}query ${operation}${names.length === 0 ? '' : `(${declared}\n)`} {
  runEndpoint(
    projectId: ${JSON.stringify(project)}
    name: ${JSON.stringify(name)}
    input: {${variables}
      ${options(params).join('\n      ')}
    }
  ) {
    columns
    types
    results
    hasMore
    isCached
  }
}
`;
  return { query, variables: names.length === 0 ? null : JSON.stringify(values, null, 2) };
}
