import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { sqlFunctions } from './functions.ts';

export interface SqlTable {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly comment: string;
  }[];
}

export interface KnownTables {
  readonly all: () => readonly SqlTable[];
  /** Adds those with the text in their names, of more than are known; null: all are. */
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

const functions: readonly Completion[] = sqlFunctions.map(({ name, usage, about }) => ({
  label: name,
  type: 'function',
  detail: usage.slice(name.length),
  info: about,
  apply: `${name}(`,
}));

/** Names that may stand at the cursor: tables, columns of those that the query names, functions; after `{` variables. */
export function completeSql(tables: () => KnownTables) {
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
    const { all, find } = tables();
    if (before.endsWith('.')) return { from, options: columns(text, all()), validFor: /^\w*$/ };
    const complete = () => ({
      from,
      options: [...columns(text, all()), ...all().map(tableOption), ...functions],
    });
    if (find === null || word === null) return { ...complete(), validFor: /^\w*$/ };
    // Another text finds others. Without an answer there is what is known.
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

/** Those that the text has already. */
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
