import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { type SqlFunction, sqlFunctions } from './functions.ts';

export interface SqlTable {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly comment: string;
  }[];
}

/** What the project's queries can name. */
export interface KnownNames {
  readonly tables: () => readonly SqlTable[];
  /** The engine's functions; empty until they are read. */
  readonly functions: readonly SqlFunction[];
  /** Loads further tables with the text in their names; null when all are loaded. */
  readonly find: ((text: string) => Promise<void>) | null;
}

const variableTypes = [
  'String',
  'Date',
  'DateTime',
  'UInt32',
  'Int64',
  'Float64',
  'Bool',
  'Array(String)',
];

const usual: readonly Completion[] = sqlFunctions.map(functionOption);
const usualNames = new Set(sqlFunctions.map(({ name }) => name));

/** Frequently used functions have texts of their own; of the many others, those whose names contain the word. */
function functionOptions(ofEngine: readonly SqlFunction[], word: string): readonly Completion[] {
  const text = word.toLowerCase();
  const others = ofEngine.filter(
    ({ name }) => name.toLowerCase().includes(text) && !usualNames.has(name),
  );
  return [...usual, ...others.map(functionOption)];
}

function functionOption({ name, usage, about }: SqlFunction): Completion {
  return {
    label: name,
    type: 'function',
    detail: usage.startsWith(name) ? usage.slice(name.length) : '',
    apply: `${name}(`,
    ...(about === '' ? {} : { info: about }),
  };
}

/** Names that may stand at the cursor: tables, columns of the query's tables, functions; variables after `{`. */
export function completeSql(names: () => KnownNames) {
  return (
    context: CompletionContext,
  ): CompletionResult | null | Promise<CompletionResult | null> => {
    const text = context.state.doc.toString();
    const brace = context.matchBefore(/\{[\w.]*/);
    if (brace !== null)
      return { from: brace.from + 1, options: variables(text), validFor: /^[\w.]*$/ };
    const type = context.matchBefore(/\{\w+:\w*/);
    if (type !== null)
      return {
        from: type.from + type.text.indexOf(':') + 1,
        options: variableTypes.map((label) => ({ label, type: 'type', apply: `${label}}` })),
      };
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    if (word === null && !context.explicit) return null;
    const before = text.slice(0, word?.from ?? context.pos);
    const from = word?.from ?? context.pos;
    const { tables, functions, find } = names();
    if (before.endsWith('.')) return { from, options: columns(text, tables()), validFor: /^\w*$/ };
    const complete = () => ({
      from,
      options: [
        ...columns(text, tables()),
        ...tables().map(tableOption),
        ...functionOptions(functions, word?.text ?? ''),
      ],
    });
    // A different text finds other functions and, in a project with many, other tables.
    if (find === null || word === null) return complete();
    // Without a response, the known tables are used.
    return find(word.text).then(complete, complete);
  };
}

function tableOption({ name, comment }: SqlTable): Completion {
  return {
    label: name,
    type: 'class',
    detail: 'table',
    boost: 1,
    ...(comment ? { info: comment } : {}),
  };
}

function columns(text: string, tables: readonly SqlTable[]): readonly Completion[] {
  const named = tables.filter(({ name }) => new RegExp(`\\b${escaped(name)}\\b`).test(text));
  const found = new Map<string, Completion>();
  for (const table of named)
    for (const { name, type, comment } of table.columns)
      found.set(name, {
        label: name,
        type: 'property',
        detail: type,
        boost: 2,
        info: comment === '' ? `Column of ${table.name}.` : comment,
      });
  return [...found.values()];
}

/** Variables already in the text. */
function variables(text: string): readonly Completion[] {
  const found = new Map(
    [...text.matchAll(/\{(\w+):([^}]+)\}/g)].map(([, name = '', type = '']) => [name, type]),
  );
  return [...found].map(([name, type]) => ({
    label: name,
    type: 'variable',
    detail: type,
    apply: `${name}:${type}}`,
  }));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
