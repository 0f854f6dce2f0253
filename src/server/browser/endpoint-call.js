/** Which endpoint the open tab calls and with what, and the address of the same call in the console. */

import { rootFields } from './document-fields.js';
import { isRaw } from './exact-json.js';

/**
 * @param graphProject the project whose data graph the page is about; null on the page of the service.
 * @returns `{ project, name, field, args, input }`: of a data graph `field` is the endpoint's GraphQL name and `name` is
 *   null; null when the tab calls no endpoint.
 */
export function findCall({ query, variables }, graphProject) {
  const fields = rootFields(query, variables);
  if (graphProject !== null) {
    const found = fields.find(({ name }) => !name.startsWith('__'));
    if (found === undefined) return null;
    const { run = {}, orderBy: _, ...args } = found.args;
    return { project: graphProject, name: null, field: found.name, args, input: run };
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

/** @param endpoint the endpoint as the service describes it. */
export function consoleAddress(call, { uiUrl, variables }) {
  const params = new URLSearchParams();
  for (const { name } of variables) {
    const value = givenValue(call, name, variables);
    if (value !== undefined && value !== null) params.set(`v.${name}`, typedText(value));
  }
  const { version, limit, refresh } = call.input;
  if (version !== undefined && version !== null) params.set('version', typedText(version));
  if (limit !== undefined && limit !== null) params.set('limit', typedText(limit));
  if (refresh === 'force' || refresh === 'direct') params.set('refresh', refresh);
  const search = params.toString();
  const { pathname } = new URL(uiUrl, location.href);
  return search === '' ? pathname : `${pathname}?${search}`;
}

/** An argument of a data graph is called as its variable, but for capital letters and underscores. */
function givenValue({ args, field }, name, variables) {
  if (field === null) return Object.hasOwn(args, name) ? args[name] : undefined;
  const plain = (text) => text.replace(/[_-]/g, '').toLowerCase();
  const alike = variables.filter((variable) => plain(variable.name) === plain(name));
  const found = Object.keys(args).filter((argument) => plain(argument) === plain(name));
  return alike.length === 1 && found.length === 1 ? args[found[0]] : undefined;
}

/** A value as somebody types it into the console's form; each element of a list has a line. */
function typedText(value) {
  if (Array.isArray(value)) return value.map(typedText).join('\n');
  return typeof value === 'string' && !isRaw(value) ? value : JSON.stringify(value);
}
