/** Opens GraphiQL in the browser, with the tabs that the page defines and the endpoint in the URL. */
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

/** The pages of the service and of projects show different schemas, so each stores its own tabs. */
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

/** GraphiQL's storage keys of its tabs and of the last edited headers. */
const tabsKey = 'graphiql:tabState';
const headersKey = 'graphiql:headers';
const lastKey = 'querydock:key';

/** Replaces the key in stored tabs that comes from an earlier demo and is no longer valid. */
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

/** The demo's key, else the last edited headers. */
function initialHeaders() {
  const own = (key) => JSON.stringify({ Authorization: `Bearer ${key}` }, null, 2);
  if (facts.key !== null) return own(facts.key);
  return storage.getItem(headersKey) || own('YOUR_API_KEY');
}

const state = openPageState(storage);

/** The project whose data graph this page shows; null on the service's page. */
const graphProject =
  facts.subject === 'service' ? null : decodeURIComponent(location.pathname.split('/')[3]);

/** GraphiQL passes them with each request; the panes send requests with the same key. */
function rememberHeaders(headers) {
  if (JSON.stringify(headers) !== JSON.stringify(state.get().headers)) state.set({ headers });
}

/** The tab that the URL requests; null for none. */
async function requestedTab(headers) {
  const params = new URL(location.href).searchParams;
  const [project, endpoint] = [params.get('project'), params.get('endpoint')];
  if (project !== null && endpoint !== null) {
    return endpointTab({ project, name: endpoint, params }, headers);
  }
  const query = params.get('query');
  return query === null ? null : { query, variables: params.get('variables') };
}

/** Hands the key over to the console and back; runs before the editors see it. */
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
  // GraphiQL stores its tabs itself; a URL with a query would add another one at each reload.
  history.replaceState({}, '', location.pathname);
  const isFirst = storage.getItem(tabsKey) === null;
  const tabs = requested === null ? facts.tabs : [requested, ...facts.tabs];
  const first = requested ?? (isFirst ? facts.tabs[0] : null);
  // The panes may be open before GraphiQL has stored the tab.
  const opened = first === null ? {} : { query: first.query, variables: first.variables ?? '' };
  state.set({ headers: JSON.parse(headers), ...opened });
  listenForKey();
  globalThis.morePlugins = [resultPlugin(state, graphProject), endpointPlugin(state, graphProject)];
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
      onResponse: (response) => state.set({ response }),
      onRunning: (running) => state.set({ running }),
      onHeaders: rememberHeaders,
    }),
    onEditQuery: (query) => state.set({ query }),
    onEditVariables: (variables) => state.set({ variables }),
    onTabChange: ({ tabs: open, activeTabIndex }) => {
      const { query, variables } = open[activeTabIndex];
      state.set({ query, variables });
    },
    ...(first === null ? {} : { ...opened, initialHeaders: headers }),
  });
}

await start();
