/** The tab with a run of one endpoint, as the address describes it. */

/** The example of a run in the endpoint's own document; null when the key may not read it. */
async function exampleOf({ project, name, asked }, headers) {
  try {
    const version = asked.has('version') ? `?version=${asked.get('version')}` : '';
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

/** The values that the address gives, as the console's form takes them: `v.NAME`, each element of a list in a line. */
function withAsked(values, asked) {
  const given = Object.entries(values).map(([name, usual]) => {
    const text = asked.get(`v.${name}`);
    return [name, text === null ? usual : valueLike(usual, text)];
  });
  return Object.fromEntries(given);
}

/** Without the endpoint's types values stay as they were typed, which the service reads by their type. */
function textsIn(asked) {
  const given = [...asked].filter(([name]) => /^v\.[A-Za-z_]\w*$/.test(name));
  return Object.fromEntries(given.map(([name, text]) => [name.slice(2), text]));
}

/** Digits that a double would lose stay a string, which the service reads as the number. */
function valueLike(usual, text) {
  if (Array.isArray(usual)) {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => valueLike(usual[0], line));
  }
  if (typeof usual === 'boolean') return text === 'true';
  if (typeof usual === 'number' && text.trim() === String(Number(text))) return Number(text);
  return text;
}

/** The options of the run; an address that names none gets a few rows. */
function options(asked) {
  const digits = (name) => (/^\d+$/.test(asked.get(name) ?? '') ? asked.get(name) : null);
  const version = digits('version');
  const refresh = asked.get('refresh');
  return [
    `limit: ${digits('limit') ?? 10}`,
    ...(version === null ? [] : [`version: ${version}`]),
    ...(refresh === 'force' || refresh === 'direct' ? [`refresh: ${refresh}`] : []),
  ];
}

/**
 * Each variable is one of the document, because GraphiQL marks an object as a wrong value of the type JSON.
 *
 * @param asked the parameters of the address: `v.NAME`, `version`, `limit` and `refresh`, as in the console.
 * @param headers the headers of the tab as JSON.
 */
export async function endpointTab({ project, name, asked }, headers) {
  const example = await exampleOf({ project, name, asked }, headers);
  const values = example === null ? textsIn(asked) : withAsked(example.variables ?? {}, asked);
  const names = Object.keys(values);
  const hint =
    example === null
      ? '# Put your API key into Headers, below, and open\n# this page again: it then fills the variables.\n'
      : '';
  const operation = name.replace(/[^A-Za-z0-9_]/g, '_');
  const declared = names.map((variable) => `\n  $${variable}: JSON`).join('');
  const given = names.map((variable) => `\n        ${variable}: $${variable}`).join('');
  const variables = names.length === 0 ? '' : `\n      variables: {${given}\n      }`;
  const query = `# Runs the endpoint ${name}.
${hint}query ${operation}${names.length === 0 ? '' : `(${declared}\n)`} {
  runEndpoint(
    projectId: ${JSON.stringify(project)}
    name: ${JSON.stringify(name)}
    input: {${variables}
      ${options(asked).join('\n      ')}
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
