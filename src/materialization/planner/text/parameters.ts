/** Replaces variables by engine parameters with generated names while the engine formats a query. */
import { findPlaceholders, replacePlaceholders, spellingOf } from '../../../sql/placeholders.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { SampleParams } from '../../../sql/sql-analysis.ts';
import type { Tokens } from './tokens.ts';

const PREFIX = 'querydock_var_';

export interface Parameters {
  /** The text with `{querydock_var_0:Type}` for each variable. */
  readonly text: string;
  readonly samples: SampleParams;
  /** Variable names by number. */
  readonly names: readonly string[];
  /** Whether the variable's engine type depends on its value, as for `{variables.name}`. */
  readonly isTypeOpen: (variable: number) => boolean;
  /** Whether it stands for a call that reads evaluate, as `now()`, so callers give no value. */
  readonly isCall: (variable: number) => boolean;
  /** Restores the author's spelling of every variable. */
  readonly restore: (sql: string) => string;
  /** Aliases each use of a variable `x` as `{x}`, which the engine then uses in column names. */
  readonly nameEach: (sql: string) => string;
}

/** @param bound type and sample value of every variable in the text. */
export function toParameters(
  sql: string,
  bound: ReadonlyMap<string, { readonly type: string; readonly text: string }>,
): Parameters {
  const names: string[] = [];
  const spellings: string[] = [];
  const open = new Set<number>();
  const samples: Record<string, string> = {};
  const text = replacePlaceholders(sql, findPlaceholders(sql), (placeholder) => {
    const param = bound.get(placeholder.kind === 'filters' ? '' : placeholder.name);
    if (placeholder.kind === 'filters' || param === undefined) return '';
    if (!names.includes(placeholder.name)) {
      names.push(placeholder.name);
      spellings.push(spellingOf(placeholder));
      if (placeholder.kind === 'variable') open.add(names.length - 1);
    }
    const own = `${PREFIX}${names.indexOf(placeholder.name)}`;
    samples[own] = param.text;
    return `{${own}:${param.type}}`;
  });
  return {
    text,
    samples,
    names,
    isTypeOpen: (variable) => open.has(variable),
    isCall: () => false,
    restore: (planned) => replaceEach(planned, (number) => spellings[number] ?? ''),
    nameEach: (planned) =>
      replaceEach(planned, (number, written) => {
        const name = quoteName(`{${names[number] ?? ''}}`);
        return `(${written} AS ${name})`;
      }),
  };
}

/** A call that reads evaluate, and a value that it may have. */
export interface EvaluatedCall {
  /** As written. */
  readonly text: string;
  readonly type: string;
  readonly sample: string;
}

/**
 * The same parameters, and further ones in place of calls, which `restore` puts back.
 *
 * @param write the text, given the parameter of each call.
 */
export function withCallsAsParameters(
  parameters: Parameters,
  calls: readonly EvaluatedCall[],
  write: (parameterOf: readonly string[]) => string,
): Parameters {
  const { names, samples, restore, nameEach } = parameters;
  const own = calls.map((_call, at) => `${PREFIX}${names.length + at}`);
  const withCalls = (sql: string) =>
    replaceEach(sql, (number, written) => calls[number - names.length]?.text ?? written);
  return {
    ...parameters,
    text: write(calls.map(({ type }, at) => `{${own[at]}:${type}}`)),
    samples: { ...samples, ...Object.fromEntries(calls.map((call, at) => [own[at], call.sample])) },
    names: [...names, ...calls.map(({ text }) => text)],
    isCall: (variable) => variable >= names.length,
    restore: (planned) => restore(withCalls(planned)),
    nameEach: (planned) => nameEach(withCalls(planned)),
  };
}

/** Replaces the parameter of each variable. */
function replaceEach(
  planned: string,
  replace: (number: number, written: string) => string,
): string {
  return replacePlaceholders(planned, findPlaceholders(planned), (placeholder) => {
    const written = planned.slice(placeholder.start, placeholder.end);
    return placeholder.kind === 'typed' && placeholder.name.startsWith(PREFIX)
      ? replace(Number(placeholder.name.slice(PREFIX.length)), written)
      : written;
  });
}

/** The distinct variable numbers in a list of tokens. */
export function variablesIn(tokens: Tokens): readonly number[] {
  const found = tokens.flatMap((token) =>
    token.kind === 'BareWord' && token.text.startsWith(PREFIX)
      ? [Number(token.text.slice(PREFIX.length))]
      : [],
  );
  return [...new Set(found)];
}

export function hasVariable(tokens: Tokens): boolean {
  return variablesIn(tokens).length > 0;
}
