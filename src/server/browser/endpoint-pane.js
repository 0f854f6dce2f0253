/** The pane that documents the open tab's endpoint, and the shortcut that opens the same call in the console. */
import { element, icon, name } from './elements.js';
import { consoleAddress, findCall, withVariables } from './endpoint-call.js';
import { readEndpoint } from './endpoint-facts.js';
import { EndpointForm } from './endpoint-form.js';
import { EndpointPlan } from './endpoint-plan.js';
import { textOf } from './exact-json.js';
import { usePageState } from './page-state.js';
import {
  localTime,
  readableBytes,
  readableCadence,
  readableCount,
  readableSource,
  readableState,
} from './readable.js';

export function endpointPlugin(state, graphProject) {
  return {
    title: 'Endpoint',
    icon: icon('M7 3h7l5 5v13H7z', 'M14 3v5h5', 'M10 13h6', 'M10 17h6'),
    content: () => element(EndpointPane, { state, graphProject }),
  };
}

/** Alt-G, as in the console. Throws an Error when the tab calls no endpoint, or the service does not describe it. */
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
  const requested =
    call === null ? '' : JSON.stringify([call.project, call.name, call.field, headers]);
  const [found, setFound] = React.useState({ requested: '' });
  React.useEffect(() => {
    if (requested === '') return;
    let isCurrent = true;
    const [project, endpointName, field, sent] = JSON.parse(requested);
    const update = (facts) => isCurrent && setFound({ requested, ...facts });
    readEndpoint({ project, name: endpointName, field }, JSON.parse(sent)).then(
      (endpoint) => update({ endpoint }),
      (error) => update({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [requested]);
  return element(
    'section',
    { className: 'qd-pane', 'aria-label': 'Endpoint' },
    element('div', { className: 'graphiql-doc-explorer-title' }, 'Endpoint'),
    contentOf(call, found.requested === requested ? found : null, state.get().headers),
  );
}

function contentOf(call, found, headers) {
  const say = (text) => element('p', null, text);
  if (call === null) return say('The open tab calls no endpoint.');
  if (found === null) return say('Reading…');
  if (found.error !== undefined) return say(found.error.message);
  if (found.endpoint === null) return say('There is no such endpoint.');
  return element(Documentation, { call, endpoint: found.endpoint, headers });
}

function Documentation({ call, endpoint, headers }) {
  const { description, isActive, currentVersion, versionsCount, variables, columns } = endpoint;
  const requested = call.input.version;
  const version =
    requested === undefined || requested === null ? '' : `; this call runs ${textOf(requested)}`;
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
    section(
      'Variables',
      variables.length === 0
        ? element('p', null, 'None.')
        : element(EndpointForm, {
            key: JSON.stringify([endpoint.name, call.args]),
            call,
            endpoint,
          }),
    ),
    section('Columns', list(columns)),
    section('Plan', element(EndpointPlan, { call: withVariables(call, endpoint), headers })),
    section('Materialization', ...materializationLines(endpoint.materialization)),
  );
}

function section(title, ...content) {
  return element(React.Fragment, null, element('h4', null, title), ...content);
}

function list(parts) {
  return element(
    'dl',
    null,
    ...parts.map((part, at) =>
      element('dt', { key: `${at}` }, name(part.name), ' ', element('code', null, part.type)),
    ),
  );
}

function materializationLines(facts) {
  const line = (label, value, show = (one) => name(textOf(one))) =>
    value === null || value === undefined || value === ''
      ? null
      : element('p', { key: label }, `${label}: `, show(value));
  if (!facts.enabled) return [line('State', 'off'), line('Cannot be materialized', facts.reason)];
  return [
    line('State', readableState(facts)),
    line('Runs read', facts.servedFrom, readableSource),
    line('Refused', facts.reason),
    line('Fault', facts.error),
    line('Stored rows', facts.rows, readableCount),
    line('On disk', facts.bytes, readableBytes),
    line('Last synced', facts.lastMaterializedAt, localTime),
    line('Next sync', facts.nextSyncAt, localTime),
    line('Rebuilt', facts.syncFrequency, readableCadence),
  ];
}
