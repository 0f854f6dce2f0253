/** Opens GraphiQL in the browser, with the tabs that the page names and the endpoint that the address names. */
import { endpointPlugin, openInConsole } from './endpoint-pane.js';
import { endpointTab } from './endpoint-tab.js';
import { openFetcher } from './fetcher.js';
import { openPageState } from './page-state.js';
import { resultPlugin } from './result-pane.js';

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

const state = openPageState(storage);

/** The project whose data graph this page is about; null on the page of the service. */
const graphProject =
  facts.subject === 'service' ? null : decodeURIComponent(location.pathname.split('/')[3]);

/** GraphiQL gives them with each request; the panes ask with the same key. */
function rememberHeaders(headers) {
  if (JSON.stringify(headers) !== JSON.stringify(state.get().headers)) state.set({ headers });
}

/** The tab that the address asks for; null when it asks for none. */
async function requestedTab(headers) {
  const asked = new URL(location.href).searchParams;
  const [project, endpoint] = [asked.get('project'), asked.get('endpoint')];
  if (project !== null && endpoint !== null) {
    return endpointTab({ project, name: endpoint, asked }, headers);
  }
  const query = asked.get('query');
  return query === null ? null : { query, variables: asked.get('variables') };
}

/** The key that goes to the console and back; before the editors get it. */
function listenForKey() {
  const notice = document.getElementById('notice');
  const listen = (event) => {
    notice.textContent = '';
    if (event.code !== 'KeyG' || !event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    openInConsole(state, graphProject).catch((error) => {
      notice.textContent = error.message;
    });
  };
  addEventListener('keydown', listen, { capture: true });
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
  state.set({ headers: JSON.parse(headers) });
  listenForKey();
  globalThis.morePlugins = [resultPlugin(state), endpointPlugin(state, graphProject)];
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
    fetcher: openFetcher({
      path: location.pathname,
      onAnswer: (answer) => state.set({ answer }),
      onHeaders: rememberHeaders,
    }),
    onEditQuery: (query) => state.set({ query }),
    onEditVariables: (variables) => state.set({ variables }),
    onTabChange: ({ tabs: open, activeTabIndex }) => {
      const { query, variables } = open[activeTabIndex];
      state.set({ query, variables });
    },
    ...(first === null
      ? {}
      : {
          query: first.query,
          variables: first.variables ?? '',
          initialHeaders: headers,
        }),
  });
}

await start();
