import { readFileSync } from 'node:fs';

/** The cells of one row of a table, trimmed. */
export type Row = readonly string[];

export function readPage(file: string): string {
  return readFileSync(file, 'utf8');
}

/**
 * The rows of all tables of a page, or of one section with those inside it, without heads. Throws when there
 * is no such section, so that a heading that was renamed does not make a test say nothing.
 */
export function tableRows(page: string, section?: string): readonly Row[] {
  const text = section === undefined ? page : sectionOf(page, section);
  const lines = withoutFences(text).split('\n');
  return lines.flatMap((line, at) => {
    const isHead = isRule(lines[at + 1] ?? '');
    return line.startsWith('|') && !isRule(line) && !isHead ? [cellsOf(line)] : [];
  });
}

function isRule(line: string): boolean {
  return /^\|[\s:|-]+\|$/.test(line);
}

function cellsOf(line: string): Row {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}

function sectionOf(page: string, heading: string): string {
  const lines = page.split('\n');
  const start = lines.findIndex(
    (line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading,
  );
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length;
  if (level === undefined) throw new Error(`there is no section "${heading}"`);
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return (end === -1 ? after : after.slice(0, end)).join('\n');
}

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

/** What stands between back-quotes, in order. */
export function codesIn(text: string): readonly string[] {
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}

/** Targets of links to other files of the repository and to headings. */
export function linksOf(page: string): readonly string[] {
  return [...withoutFences(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that a page's headings make. */
export function slugsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutFences(page).matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
