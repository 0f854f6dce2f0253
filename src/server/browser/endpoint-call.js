/** Determines which endpoint the open tab calls and with what, and the URL of the same call in the console. */

import { rootFields } from './document-fields.js';
import { isRaw } from './exact-json.js';

/**
 * @param graphProject the project whose data graph the page shows; null on the service's page.
 * @returns `{ project, name, field, args, input, orderBy }`: in a data graph `field` is the endpoint's GraphQL name,
 * `name` is null, and `orderBy` stands beside `input`; null when the tab calls no endpoint.
 */
export function findCall({ query, variables }, graphProject) {
  const fields = rootFields(query, variables);
  if (graphProject !== null) {
    const found = fields.find(({ name }) => !name.startsWith('__'));
    if (found === undefined) return null;
    const { run = {}, orderBy, ...args } = found.args;
    return { project: graphProject, name: null, field: found.name, args, input: run, orderBy };
  }
  const isText = (value) => typeof value === 'string' && value !== '';
  const found = fields.find(({ args }) => isText(args.projectId) && isText(args.name));
  if (found === undefined) return null;
  const { projectId, name, input = {}, version } = found.args;
  const isRun = found.name === 'runEndpoint';
  const given = isRun ? input : { version };
  return {
    project: projectId,
    name,
    field: null,
    args: given?.variables ?? {},
    input: given ?? {},
  };
}

/** The project that a document is about; null when it names none. */
export function findProject({ query, variables }, graphProject) {
  if (graphProject !== null) return graphProject;
  const found = rootFields(query, variables).find(({ args }) => args.projectId !== undefined);
  return found?.args.projectId ?? null;
}

/** The call's values as typed into a form, by variable; unset ones are absent. */
export function callTexts(call, variables) {
  const given = variables.flatMap(({ name }) => {
    const value = givenValue(call, name, variables);
    return value === undefined || value === null ? [] : [[name, typedText(value)]];
  });
  return Object.fromEntries(given);
}

/** Maps the arguments of a data graph field back to the endpoint's variables. */
export function withVariables(call, { name, variables }) {
  const given = variables.flatMap((variable) => {
    const value = givenValue(call, variable.name, variables);
    return value === undefined ? [] : [[variable.name, value]];
  });
  return { ...call, name, args: Object.fromEntries(given) };
}

/** @param endpoint the service's description of the endpoint. */
export function consoleAddress(call, { uiUrl, variables, columns }) {
  const params = new URLSearchParams();
  for (const [name, text] of Object.entries(callTexts(call, variables)))
    params.set(`v.${name}`, text);
  const { version, limit, refresh } = call.input;
  if (version !== undefined && version !== null) params.set('version', typedText(version));
  if (limit !== undefined && limit !== null) params.set('limit', typedText(limit));
  for (const key of orderKeys(call, columns)) params.append('order', typedText(key));
  if (refresh === 'force' || refresh === 'direct') params.set('refresh', refresh);
  const search = params.toString();
  const { pathname } = new URL(uiUrl, location.href);
  return search === '' ? pathname : `${pathname}?${search}`;
}

/** The order in the run's form. In a data graph it is written as `[{asc: field}, {desc: field}]`. */
function orderKeys({ field, input, orderBy }, columns) {
  if (field === null) return [input.orderBy ?? []].flat();
  return [orderBy ?? []].flat().flatMap((term) => {
    const given = term?.asc ?? term?.desc;
    const alike = columns.filter(
      ({ name }) => typeof given === 'string' && plain(name) === plain(given),
    );
    if (alike.length !== 1) return [];
    const [{ name }] = alike;
    if (term.asc === undefined) return [`-${name}`];
    return [/^[-+]/.test(name) ? `+${name}` : name];
  });
}

function plain(text) {
  return text.replace(/[_-]/g, '').toLowerCase();
}

/** A data graph argument matches its variable's name, except for capital letters and underscores. */
function givenValue({ args, field }, name, variables) {
  if (field === null) return Object.hasOwn(args, name) ? args[name] : undefined;
  const alike = variables.filter((variable) => plain(variable.name) === plain(name));
  const found = Object.keys(args).filter((argument) => plain(argument) === plain(name));
  return alike.length === 1 && found.length === 1 ? args[found[0]] : undefined;
}

/** A value as typed into the console's form, one line per list element. */
function typedText(value) {
  if (Array.isArray(value)) return value.map(typedText).join('\n');
  return typeof value === 'string' && !isRaw(value) ? value : JSON.stringify(value);
}
