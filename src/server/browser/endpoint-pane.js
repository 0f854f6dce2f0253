/** The pane that documents the endpoint of the open tab, and the key that opens the same call in the console. */
import { element, icon, name } from './elements.js';
import { consoleAddress, findCall } from './endpoint-call.js';
import { readEndpoint } from './endpoint-facts.js';
import { textOf } from './exact-json.js';
import { usePageState } from './page-state.js';

export function endpointPlugin(state, graphProject) {
  return {
    title: 'Endpoint',
    icon: icon('M7 3h7l5 5v13H7z', 'M14 3v5h5', 'M10 13h6', 'M10 17h6'),
    content: () => element(EndpointPane, { state, graphProject }),
  };
}

/** Alt-G, as in the console. Throws an Error when the tab calls no endpoint, or the service does not tell of it. */
export async function openInConsole(state, graphProject) {
  const call = findCall(state.tab(), graphProject);
  const endpoint = call === null ? null : await readEndpoint(call, state.get().headers);
  if (endpoint === null) throw new Error('The open tab calls no endpoint.');
  location.assign(consoleAddress(call, endpoint));
}

function EndpointPane({ state, graphProject }) {
  usePageState(state);
  const call = findCall(state.tab(), graphProject);
  const headers = JSON.stringify(state.get().headers);
  const asked = call === null ? '' : JSON.stringify([call.project, call.name, call.field, headers]);
  const [found, setFound] = React.useState({ asked: '' });
  React.useEffect(() => {
    if (asked === '') return;
    let isCurrent = true;
    const [project, endpointName, field, sent] = JSON.parse(asked);
    const tell = (facts) => isCurrent && setFound({ asked, ...facts });
    readEndpoint({ project, name: endpointName, field }, JSON.parse(sent)).then(
      (endpoint) => tell({ endpoint }),
      (error) => tell({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [asked]);
  return element(
    'section',
    { className: 'qd-pane', 'aria-label': 'Endpoint' },
    element('div', { className: 'graphiql-doc-explorer-title' }, 'Endpoint'),
    contentOf(call, found.asked === asked ? found : null),
  );
}

function contentOf(call, found) {
  const say = (text) => element('p', null, text);
  if (call === null) return say('The open tab calls no endpoint.');
  if (found === null) return say('Reading…');
  if (found.error !== undefined) return say(found.error.message);
  if (found.endpoint === null) return say('There is no such endpoint.');
  return element(Documentation, { call, endpoint: found.endpoint });
}

function Documentation({ call, endpoint }) {
  const { description, isActive, currentVersion, versionsCount, variables, columns } = endpoint;
  const asked = call.input.version;
  const version = asked === undefined || asked === null ? '' : `; this call runs ${textOf(asked)}`;
  return element(
    React.Fragment,
    null,
    element('h3', null, endpoint.name),
    description === '' ? null : element('p', null, name(description)),
    isActive ? null : element('p', null, 'Inactive: runs are refused.'),
    element(
      'p',
      null,
      element('a', { href: consoleAddress(call, endpoint) }, 'Open in the console'),
      ' ',
      element('kbd', null, 'Alt G'),
    ),
    section('Version', element('p', null, `${currentVersion} of ${versionsCount}${version}`)),
    section('Variables', variables.length === 0 ? element('p', null, 'None.') : list(variables)),
    section('Columns', list(columns)),
    section('Materialization', ...materializationLines(endpoint.materialization)),
  );
}

function section(title, ...content) {
  return element(React.Fragment, null, element('h4', null, title), ...content);
}

/** Of variables also whether they may be left out. */
function list(parts) {
  return element(
    'dl',
    null,
    ...parts.flatMap((part, at) => [
      element('dt', { key: `${at} name` }, name(part.name), ' ', element('code', null, part.type)),
      element('dd', { key: `${at} about` }, ...aboutPart(part)),
    ]),
  );
}

function aboutPart({ required, default: usual, description }) {
  const need = required === undefined ? null : required ? 'Required.' : 'Optional; ';
  const without = required === false ? ['default ', name(textOf(usual)), '.'] : [];
  return [need, ...without, description ? [' ', name(description)] : null];
}

function materializationLines(facts) {
  const line = (label, value) =>
    value === null || value === undefined || value === ''
      ? null
      : element('p', { key: label }, `${label}: `, name(textOf(value)));
  if (!facts.enabled) return [line('State', 'off'), line('Cannot be materialized', facts.reason)];
  return [
    line('State', facts.status),
    line('Runs are served from', facts.servedFrom),
    line('Refused', facts.reason),
    line('Fault', facts.error),
    line('Stored rows', facts.rows),
    line('Stored bytes', facts.bytes),
    line('As of', facts.lastMaterializedAt),
    line('Next sync', facts.nextSyncAt),
    line('Cadence', facts.syncFrequency),
  ];
}
