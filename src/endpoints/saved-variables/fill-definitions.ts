import { invalidInput } from '../../errors/service-error.ts';
import { isUuid } from '../../lib/ids.ts';
import { isGiven } from '../../lib/is-given.ts';
import type { QueryDefinition } from '../../query/query-definition.ts';
import type { SavedVariableRecord } from '../../store/saved-variable-store.ts';
import type { EndpointDeps } from '../deps.ts';

const maxReferences = 1000;

/**
 * Completes the query's definitions from saved variables: code name, type and default of the variable whose id is the
 * definition's key or `variableId`. A definition's own members take precedence. Throws `invalid_input` for an id
 * without a variable, unless the definition says enough without it.
 */
export async function fillDefinitions(
  deps: Pick<EndpointDeps, 'variables'>,
  projectId: number,
  query: QueryDefinition,
): Promise<QueryDefinition> {
  const entries = Object.entries(query.variables);
  const ids = new Set(entries.map(referenceOf).filter((id) => id !== null));
  if (ids.size > maxReferences) {
    throw invalidInput('query.variables', `A query may have at most ${maxReferences} variables.`);
  }
  const found = ids.size === 0 ? [] : await deps.variables.findVariables(projectId, [...ids]);
  const saved = new Map(found.map((variable) => [variable.id, variable]));
  const filled = entries.map((entry) => [entry[0], fill(entry, saved)]);
  return { ...query, variables: Object.fromEntries(filled) };
}

type Entry = readonly [string, unknown];

/** The id in lower case; null when the definition does not refer to a saved variable. */
function referenceOf([key, value]: Entry): string | null {
  const { variableId } = membersOf(value);
  const id = typeof variableId === 'string' && isUuid(variableId) ? variableId : key;
  return isUuid(id) ? id.toLowerCase() : null;
}

function fill(entry: Entry, saved: ReadonlyMap<string, SavedVariableRecord>): unknown {
  const [key, value] = entry;
  const variable = saved.get(referenceOf(entry) ?? '');
  if (value !== null && typeof value !== 'object') return value;
  const own = membersOf(value);
  if (variable === undefined) {
    requireDefined(key, own);
    return value;
  }
  const { codeName, type, defaultValue } = variable;
  const hasDefault = 'value' in own || own.isNull === true || defaultValue === null;
  return {
    code_name: codeName,
    type,
    ...(hasDefault ? {} : { value: defaultValue }),
    ...own,
  };
}

/** For a definition that refers to no saved variable. */
function requireDefined(key: string, own: Readonly<Record<string, unknown>>): void {
  if (typeof own.code_name === 'string') return;
  if (isUuid(key)) {
    throw invalidInput(
      `query.variables.${key}`,
      'The project has no saved variable with this id. Give its code_name, or define the variable by name.',
    );
  }
  const saysMore = isGiven(own.type) || own.value !== undefined || own.isNull === true;
  if (saysMore || !isGiven(own.variableId)) return;
  throw invalidInput(
    `query.variables.${key}.variableId`,
    'The project has no saved variable with this id. Give the id of one, or define the variable here: its type, its value, or {"isNull": true}.',
  );
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
