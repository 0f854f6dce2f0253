// Shows the REST interface, each operation once, and below it the endpoints of the project of the caller's key.

const scheme = 'PersonalAPIKey';
const prefix = '/api/projects/@current';
const shownKey = document.body.dataset.key || null;

/** The demo's key, else the key entered under "Authorize". */
let key = shownKey;

async function read(path) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  try {
    const response = await fetch(path, { headers });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

function show(id, spec, options = {}) {
  const ui = SwaggerUIBundle({
    // Sends requests to the page's own origin, whatever URL other callers use.
    spec: { ...spec, servers: [{ url: location.origin }] },
    dom_id: id,
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => {
      if (key !== null) ui.preauthorizeApiKey(scheme, key);
    },
    ...options,
  });
}

/** Both prefixes behave the same, and so do PUT and PATCH, so the page shows one of each. */
function eachOnce(spec) {
  const paths = Object.entries(spec.paths)
    .filter(([path]) => !path.startsWith('/api/environments/'))
    .map(([path, { put, ...item }]) => [path, item.patch === undefined ? { put, ...item } : item]);
  const note =
    'This page lists each operation once: under /api/projects and with PATCH. The same works under /api/environments and with PUT.';
  const description = `${spec.info.description ?? ''}\n\n${note}`;
  return { ...spec, info: { ...spec.info, description }, paths: Object.fromEntries(paths) };
}

/** Fills path parameters of reading operations with an existing example of the project. */
function withExamples(spec, examples) {
  const paths = Object.entries(spec.paths).map(([path, item]) => {
    const parameter = Object.keys(examples).find((each) => path.includes(`{${each}}`));
    const example = examples[parameter] ?? null;
    if (example === null) return [path, item];
    const own = { ...spec.components.parameters[parameter], example };
    const reads = ['get', 'post'].filter((method) => item[method] !== undefined);
    const changed = reads.map((method) => {
      const parameters = [...(item[method].parameters ?? []), own];
      return [method, { ...item[method], parameters }];
    });
    return [path, { ...item, ...Object.fromEntries(changed) }];
  });
  return { ...spec, paths: Object.fromEntries(paths) };
}

/** Null without a key, or when the key's project has no runnable endpoint. */
async function runnableName() {
  if (key === null) return null;
  const list = await read(`${prefix}/endpoints?is_active=true`);
  const found = list?.results.find(({ variables }) => !variables.some(({ required }) => required));
  return found?.name ?? null;
}

/** Null without a key, or when the list is empty. */
async function firstOf(list, member) {
  if (key === null) return null;
  const page = await read(`${prefix}/${list}?limit=1`);
  return page?.results[0]?.[member] ?? null;
}

async function showProject() {
  const place = document.getElementById('project');
  const spec = key === null ? null : await read(`${prefix}/openapi.json`);
  place.hidden = spec === null || Object.keys(spec.paths).length === 0;
  document.getElementById('no-project').hidden = !place.hidden;
  if (place.hidden) return;
  const info = {
    title: 'Endpoints of this project',
    version: spec.info.version,
    description: 'Each with its own variables and columns, for the key that is used on this page.',
  };
  show('#project', { ...eachOnce(spec), info }, { defaultModelsExpandDepth: -1 });
}

/** A key entered in one part of the page is used in both. */
const followKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => {
          const next = given[scheme]?.value;
          if (typeof next === 'string' && next !== key) {
            key = next;
            void showProject();
          }
          return authorize(given);
        },
      },
    },
  },
});

async function start() {
  const [spec, name, table, id] = await Promise.all([
    read('/api/openapi.json'),
    runnableName(),
    firstOf('tables', 'name'),
    firstOf('insight_variables', 'id'),
  ]);
  show('#swagger-ui', withExamples(eachOnce(spec), { name, table, id }), {
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    plugins: [followKey],
  });
  await showProject();
}

void start();
