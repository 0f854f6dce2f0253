/** The inputs of a run in the URL, so that it can be shared. Pure. */
import { type TypedTexts, toTypedText, type VariableShape } from './variable-values.ts';

export type Refresh = 'cache' | 'force' | 'direct';

export interface RunInputs {
  /** Null for the current one. */
  readonly version: number | null;
  readonly texts: Readonly<Record<string, string>>;
  readonly limit: number;
  readonly refresh: Refresh;
  /** Column names, with `-` before a descending one; empty for the query's own order. */
  readonly orderBy: readonly string[];
}

const usualLimit = 1000;
export const limits: readonly number[] = [100, 1000, 10_000, 50_000];

const variablePrefix = 'v.';

export function readInputs(
  params: URLSearchParams,
  variables: readonly Pick<VariableShape, 'name'>[],
): RunInputs {
  const version = Number(params.get('version'));
  const limit = Number(params.get('limit'));
  const refresh = params.get('refresh');
  const given = variables.flatMap(({ name }) => {
    const text = params.get(variablePrefix + name);
    return text === null ? [] : [[name, text] as const];
  });
  return {
    version: Number.isInteger(version) && version > 0 ? version : null,
    texts: Object.fromEntries(given),
    limit: Number.isInteger(limit) && limit > 0 ? limit : usualLimit,
    refresh: refresh === 'force' || refresh === 'direct' ? refresh : 'cache',
    orderBy: params.getAll('order'),
  };
}

/** The part of a URL that sets variables to these texts; empty when they are the defaults. */
export function valuesInUrl(variables: readonly VariableShape[], texts: TypedTexts): string {
  const params = new URLSearchParams();
  for (const { name, type, required, default: standard } of variables) {
    const text = texts[name];
    const isDefault = !required && text === toTypedText(type, standard);
    if (text !== undefined && !isDefault) params.set(variablePrefix + name, text);
  }
  return params.toString();
}

/** The URL with these inputs; other parameters, such as chart settings, stay. */
export function writeInputs(params: URLSearchParams, inputs: RunInputs): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const name of params.keys()) if (name.startsWith(variablePrefix)) next.delete(name);
  for (const [name, text] of Object.entries(inputs.texts)) next.set(variablePrefix + name, text);
  const set = (name: string, value: string | null) =>
    value === null ? next.delete(name) : next.set(name, value);
  set('version', inputs.version === null ? null : String(inputs.version));
  set('limit', inputs.limit === usualLimit ? null : String(inputs.limit));
  set('refresh', inputs.refresh === 'cache' ? null : inputs.refresh);
  next.delete('order');
  for (const key of inputs.orderBy) next.append('order', key);
  return next;
}
