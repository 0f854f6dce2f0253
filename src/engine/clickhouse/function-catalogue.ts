/** The functions of the engine: what the planner needs to know of them, and what people do. */
import type { CatalogFunction, DocumentedFunction } from '../../sql/sql-analysis.ts';
import { asAdmin, type Rows, readRows, type Session } from './http/session.ts';

export async function readFunctions(session: Session): Promise<readonly CatalogFunction[]> {
  const rows = await select(session, ['case_insensitive'], ['deterministic', 'NULL']);
  return rows.map(([name, aggregate, aliasTo, anyCase, deterministic]) => ({
    name: String(name),
    isAggregate: Boolean(aggregate),
    aliasTo: String(aliasTo),
    isCaseInsensitive: Boolean(anyCase),
    isDeterministic: deterministic === null ? null : Boolean(deterministic),
  }));
}

/** Sorted by name. Larger than what the planner reads, and only read for people. */
export async function readDocumentation(session: Session): Promise<readonly DocumentedFunction[]> {
  const rows = await select(session, [], ['trim(syntax), description', "'', ''"]);
  return rows
    .map(([name, aggregate, aliasTo, syntax, description]) => ({
      name: String(name),
      isAggregate: Boolean(aggregate),
      aliasOf: String(aliasTo) || null,
      syntax: firstLine(String(syntax)),
      description: summaryOf(String(description)),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param newer columns that older engines lack, and what stands for them there. */
async function select(
  session: Session,
  columns: readonly string[],
  [newer, without]: readonly [newer: string, without: string],
): Promise<Rows> {
  const read = (last: string) => {
    const list = ['name', 'is_aggregate', 'alias_to', ...columns, last].join(', ');
    return asAdmin(session, { sql: `SELECT ${list} FROM system.functions` });
  };
  return readRows(await read(newer).catch(() => read(without)));
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').trim();
}

const maxSummary = 400;

/** The first paragraph of a Markdown text, as plain text. */
function summaryOf(markdown: string): string {
  const [first = ''] = markdown.trim().split(/\n\s*\n|\n(?=:::|<|```|[-*] )/);
  const plain = first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]{1,2}([^`*]+)[`*]{1,2}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > maxSummary ? `${plain.slice(0, maxSummary - 1)}…` : plain;
}
