/**
 * Translates errors about a run's input: data graph callers know arguments and fields, not variables and parameters.
 * Pure.
 */
import { orderArgument, runArgument } from '../../data-graph/names.ts';
import type { GraphShape } from '../../data-graph/shape.ts';
import type { ServiceError } from '../../errors/service-error.ts';
import { toCamelCase } from '../../lib/camel-case.ts';
import { RunOptions } from './static-types.ts';

export type ErrorText = Pick<ServiceError, 'attr' | 'message'>;

/** `attr` is null when no argument sets it. */
export function toGraphTerms(
  { code, attr, message }: Pick<ServiceError, 'code' | 'attr' | 'message'>,
  shape: GraphShape,
): ErrorText {
  if (attr === null) return { attr, message };
  const [head = '', ...path] = attr.split('.');
  if (code === 'unknown_variable' || code === 'missing_variable')
    return { attr: atFault(message, code, shape), message: ofVariables(message, shape) };
  if (head === 'rows') return { attr, message };
  if (head === 'order_by') return { attr: orderArgument, message: ofOrder(message, shape) };
  if (head === 'variables') return ofVariable(message, { name: path[0], path, shape });
  const option = toCamelCase(head);
  if (!Object.hasOwn(RunOptions.getFields(), option)) return { attr: null, message };
  const named = unquoted(message, (text) => replaceWord(text, head, option));
  return {
    attr: [runArgument, option, ...path].join('.'),
    message: named
      .replace(`${option}=`, `${option}: `)
      .replace(/\b(for|of) endpoint '[\w-]+'/, `$1 ${shape.field}`),
  };
}

/** Only nullable arguments can be omitted from a document; otherwise the version has other variables than the field. */
function atFault(message: string, code: ServiceError['code'], { args }: GraphShape): string {
  const missing =
    code === 'missing_variable'
      ? args.find(({ source }) => message.includes(`'${source}'`))
      : undefined;
  return missing?.name ?? `${runArgument}.version`;
}

function ofVariable(
  message: string,
  variable: {
    readonly name: string | undefined;
    readonly path: readonly string[];
    readonly shape: GraphShape;
  },
): ErrorText {
  const { name, path, shape } = variable;
  const argument = shape.args.find(({ source }) => source === name);
  if (name === undefined || argument === undefined) return { attr: null, message };
  return {
    attr: [argument.name, ...path.slice(1)].join('.'),
    message: message
      .replace(`variables.${name}`, argument.name)
      .replace(`The value of ${name} `, `The value of ${argument.name} `),
  };
}

/** Replaces variable names outside of quotes, or quoted on their own. */
function ofVariables(message: string, { args }: GraphShape): string {
  const named = args.reduce((text, { source, name }) => replaceWord(text, source, name), message);
  return named.replace('variable(s)', 'argument(s)');
}

function ofOrder(message: string, { columns }: GraphShape): string {
  const named = columns.reduce(
    (text, { source, name }) =>
      text
        .replace(`"${source}"`, `"${name}"`)
        .replace(`The column ${source} `, `The column ${name} `),
    message,
  );
  return unquoted(named, (text) => replaceWord(text, 'order_by', orderArgument));
}

/** Quoted text comes from the caller and stays unchanged. */
function unquoted(message: string, change: (text: string) => string): string {
  return message
    .split(/("[^"]*")/)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('');
}

/** Whole words only; a word consists of letters, digits and underscores. */
function replaceWord(text: string, word: string, other: string): string {
  return text.replace(/\w+/g, (found) => (found === word ? other : found));
}
