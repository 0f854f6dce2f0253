import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type ApiError, request } from '../api/client.ts';
import { RawJson, toJson } from '../api/exact-json.ts';
import { CheckUnsavedDocument, type CheckUnsavedQuery } from '../generated/graphql.ts';
import { variableFault } from '../run/variable-fault.ts';
import {
  missingVariables,
  type TypedTexts,
  toVariables,
  type VariableShape,
} from '../run/variable-values.ts';
import { useSettled } from '../ui/use-settled.ts';
import type { Definition } from './definition.ts';
import { type Fault, faultOf } from './fault-place.ts';

export type Check = NonNullable<CheckUnsavedQuery['checkQuery']>;

export interface CheckState {
  /** The check of the newest valid text; null before there was one. */
  readonly check: Check | null;
  readonly fault: Fault | null;
  /** Why the service refused the value of a variable, by name. */
  readonly refused: Refused;
  readonly isChecking: boolean;
}

type Refused = ReadonlyMap<string, string>;

const noneRefused: Refused = new Map();

interface Checked {
  readonly check: Check | null;
  readonly refused: Refused;
}

/**
 * The service's check of a query while it is being written, requested when its author pauses. The values typed for its
 * variables make the estimate exact.
 */
export function useCheck(projectId: string, definition: Definition, texts: TypedTexts): CheckState {
  const [known, setKnown] = useState<readonly VariableShape[]>([]);
  const values = JSON.stringify(givenValues(known, texts));
  const asked = useMemo(() => ({ definition, values }), [definition, values]);
  const settled = useSettled(asked, 350);
  const query = settled.definition;
  const isEmpty = query.query.trim() === '';
  const { data, error, isFetching } = useQuery<Checked, ApiError>({
    queryKey: ['check', projectId, query, settled.values],
    queryFn: ({ signal }) => checkWith({ projectId, query }, JSON.parse(settled.values), signal),
    enabled: !isEmpty,
    placeholderData: (previous) => previous,
    retry: false,
  });
  const check = isEmpty ? null : (data?.check ?? null);
  if (check !== null && check.variables !== known) setKnown(check.variables);
  const isCurrent = query === definition;
  return {
    check,
    fault: error === null || isEmpty || !isCurrent ? null : faultOf(query.query, error.message),
    refused: settled === asked ? (data?.refused ?? noneRefused) : noneRefused,
    isChecking: isFetching || !isCurrent,
  };
}

/** JSON of each value by the name of its variable. */
type Values = Readonly<Record<string, string>>;

function givenValues(variables: readonly VariableShape[], texts: TypedTexts): Values {
  const missing = missingVariables(variables, texts);
  const given = variables.filter(({ name }) => !missing.includes(name));
  const values = Object.entries(toVariables(given, texts));
  return Object.fromEntries(values.map(([name, value]) => [name, toJson(value)]));
}

/** A value that the service refuses is left out, so that the query is checked all the same. */
async function checkWith(
  target: { readonly projectId: string; readonly query: Definition },
  values: Values,
  signal: AbortSignal,
): Promise<Checked> {
  try {
    const texts = Object.entries(values).map(([name, text]) => [name, new RawJson(text)]);
    const given = { ...target, input: { variables: Object.fromEntries(texts) } };
    const { checkQuery } = await request(CheckUnsavedDocument, given, { signal });
    return { check: checkQuery, refused: noneRefused };
  } catch (error) {
    const fault = variableFault(error);
    if (fault === null || !Object.hasOwn(values, fault.name)) throw error;
    const { [fault.name]: _, ...others } = values;
    const { check, refused } = await checkWith(target, others, signal);
    return { check, refused: new Map([...refused, [fault.name, fault.message]]) };
  }
}
