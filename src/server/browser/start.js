// Opens GraphiQL in the browser, with the tabs that the page names and the endpoint that the address names.

const workers = {
  editorWorkerService: '/graphql/editor-worker.js',
  json: '/graphql/json-worker.js',
  graphql: '/graphql/graphql-worker.js',
};
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };

const facts = JSON.parse(document.getElementById('facts').textContent);

/** The pages of the service and of projects are about other schemas, so each remembers its own tabs. */
const prefix = facts.subject === 'service' ? '' : `${location.pathname} `;
const storage = {
  get length() {
    return localStorage.length;
  },
  getItem: (name) => localStorage.getItem(prefix + name),
  setItem: (name, value) => localStorage.setItem(prefix + name, value),
  removeItem: (name) => localStorage.removeItem(prefix + name),
  clear: () => {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(`${prefix}graphiql:`)) localStorage.removeItem(name);
  },
};

/** Where GraphiQL remembers its tabs and the headers that were edited last. */
const tabsKey = 'graphiql:tabState';
const headersKey = 'graphiql:headers';
const lastKey = 'querydock:key';

/** Remembered tabs have the key of an earlier demo, which the current one does not know. */
function renewKey() {
  if (facts.key === null) return;
  const previous = storage.getItem(lastKey);
  storage.setItem(lastKey, facts.key);
  if (previous === null || previous === facts.key) return;
  for (const name of [tabsKey, headersKey]) {
    const remembered = storage.getItem(name);
    if (remembered !== null) storage.setItem(name, remembered.replaceAll(previous, facts.key));
  }
}

/** The demo's key, else the headers that were edited last. */
function initialHeaders() {
  const own = (key) => JSON.stringify({ Authorization: `Bearer ${key}` }, null, 2);
  if (facts.key !== null) return own(facts.key);
  return storage.getItem(headersKey) || own('YOUR_API_KEY');
}

/** The example of a run in the endpoint's own document; null when the key may not read it. */
async function exampleOf(project, name, headers) {
  try {
    const path = `/api/projects/${encodeURIComponent(project)}/endpoints/${encodeURIComponent(name)}`;
    const response = await fetch(`${path}/openapi.json`, { headers: JSON.parse(headers) });
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

/** Each variable is one of the document, because GraphiQL marks an object as a wrong value of the type JSON. */
async function endpointTab(project, name, headers) {
  const example = await exampleOf(project, name, headers);
  const values = example?.variables ?? {};
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
      limit: 10
    }
  ) {
    columns
    results
    hasMore
    isCached
  }
}
`;
  return { query, variables: names.length === 0 ? null : JSON.stringify(values, null, 2) };
}

/** The tab that the address asks for; null when it asks for none. */
async function requestedTab(headers) {
  const asked = new URL(location.href).searchParams;
  const [project, endpoint] = [asked.get('project'), asked.get('endpoint')];
  if (project !== null && endpoint !== null) return endpointTab(project, endpoint, headers);
  const query = asked.get('query');
  return query === null ? null : { query, variables: asked.get('variables') };
}

async function start() {
  renewKey();
  const headers = initialHeaders();
  const requested = await requestedTab(headers);
  // GraphiQL remembers its tabs itself; an address with a query would open one more at each reload.
  history.replaceState({}, '', location.pathname);
  const isFirst = storage.getItem(tabsKey) === null;
  const tabs = requested === null ? facts.tabs : [requested, ...facts.tabs];
  const first = requested ?? (isFirst ? facts.tabs[0] : null);
  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    title: 'Querydock GraphiQL',
    storage,
    defaultQuery: '',
    defaultHeaders: headers,
    headers,
    defaultTabs: tabs.map(({ query, variables }) => ({
      query,
      headers,
      variables: variables ?? null,
    })),
    defaultEditorToolsVisibility: 'variables',
    onEditQuery: () => {},
    ...(first === null
      ? {}
      : {
          query: first.query,
          variables: first.variables ?? '',
          initialHeaders: headers,
        }),
  });
}

addEventListener('DOMContentLoaded', start);
