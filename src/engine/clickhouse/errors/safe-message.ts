/**
 * The engine's messages made fit for a caller: what was wrong and where, without the SQL around it, the names
 * of other databases, paths, addresses, users, versions or code positions. Pure.
 */
import { lexSql } from '../../../sql/sql-lexer.ts';
import { positionOf } from '../../../sql/text-position.ts';
import { type LexedText, nameAt, positionWhere } from '../guard/parse/lexed-text.ts';
import { ambiguousColumn, locateName } from './locate-name.ts';
import { withoutSetting, withVariables } from './way-out.ts';

const OWN_TABLES = 'A query can only read the tables of its project, named without a database.';

/** The tables that a project's queries may read, as a sentence. @param boundTo its databases, if it is bound. */
export function onlyTables(boundTo?: readonly string[]): string {
  if (boundTo === undefined) return OWN_TABLES;
  return `A query can only read tables of the databases that its project is bound to, as far as the user of the project can read them: ${boundTo.join(', ')}.`;
}

const MAX_LENGTH = 300;
const SHOWN_EXPECTATIONS = 6;

export interface SafeMessageContext {
  /** Its database is stripped from names: queries write a project's own tables without it. */
  readonly projectId: number;
  /** The databases that the project is bound to, if it is. */
  readonly boundTo?: readonly string[];
  /** The author's text, and how many bytes precede it in the statement that the engine's positions refer to. */
  readonly sql?: string;
  readonly bytesBefore?: number;
  /** The query's text, used to locate unknown names; what a message quotes from it is not a cell. */
  readonly written?: string;
}

/** One or two sentences, ending in a full stop. */
export function safeMessage(raw: string, context: SafeMessageContext): string {
  const bare = stripFrame(raw);
  const syntax = syntaxError(bare, context);
  if (syntax !== null) return syntax;
  const union = bareUnion(bare, context);
  if (union !== null) return union;
  const ambiguous = ambiguousColumn(bare, context.sql === undefined ? '' : (context.written ?? ''));
  if (ambiguous !== null) return ambiguous;
  const named = withVariables(withoutSetting(cutContext(bare)), context.written ?? '');
  const shown = hideNames(named, context.projectId);
  return finish(suggest(context.sql === undefined ? shown : located(shown, bare, context)));
}

/** The position of an unknown name is told when the query is being saved. */
function located(shown: string, bare: string, { written }: SafeMessageContext): string {
  return written === undefined ? shown : locateName(shown, bare, written);
}

/** Strips the code, exception name, version and stack. */
function stripFrame(raw: string): string {
  return raw
    .replace(/\s*Stack trace[\s\S]*$/i, '')
    .replace(/^[\s\S]*?DB::Exception:\s*/, '')
    .replace(/(?:Error:\s*)?(?:Code: \d+\. )?DB::\w+:\s*/g, '')
    .replace(/\s*\(version [^)]*\)/g, '')
    .replace(/\s*\([A-Z][A-Z0-9]*_[A-Z0-9_]+\)/g, '')
    .trim();
}

/** Parts in which the engine quotes the query or its own steps. Suggestions that follow them are kept. */
const contexts: readonly RegExp[] = [
  /:?\s*(?:\.\s*)?In (?:scope|query)\s+(?:\(?\s*(?:SELECT|WITH|EXPLAIN|DESCRIBE)|\S)[\s\S]*?(?=\.? Maybe you meant|: Note:|$)/gi,
  /:\s*while executing[\s\S]*$/gi,
  /\.?\s*You might mean[\s\S]*$/gi,
  /\.?\s*Try to register [\s\S]*$/gi,
  /:\s*While (?:processing|converting|reading|executing)[\s\S]*$/g,
  /\.?\s*You can specify the structure manually[\s\S]*$/g,
];

function cutContext(text: string): string {
  return contexts.reduce((rest, pattern) => rest.replace(pattern, ''), text);
}

/** Suggested columns and functions are listed in brackets; a suggested table may belong to any database. */
const TABLE_HINT = /\.? Maybe you meant:? (?!\[)[\s\S]*$/;

/** The engine's id of a table or dictionary, printed after its name. */
const OBJECT_ID = / \([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\)/g;

function hideNames(text: string, projectId: number): string {
  return text
    .replace(TABLE_HINT, '')
    .replace(new RegExp(`\`?\\bproject_${projectId}\`?\\.`, 'g'), '')
    .replace(/: Note: t/, '. T')
    .replace(/\b__table\d+\./g, '')
    .replace(OBJECT_ID, '')
    .replace(/\bproject_\d+(?:_(?:reader|writer))?\b[.:]?\s?/g, '')
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(an address)')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}:\d{2,5}\b|\b(?:[\w-]+\.)*[\w-]+:\d{4,5}\b/g, '(an address)')
    .replace(/(^|[\s'"`(=])(?:\/[\w.@+-]+){2,}\/?/g, '$1(a path)');
}

const SUGGESTED_NAMES = /Maybe you meant:? \[((?:'(?:[^'\\]|\\.)*'(?:,\s*)?)+)\]\.?/;

/** `Maybe you meant: ['a','b'].` as a question. */
function suggest(text: string): string {
  return text.replace(SUGGESTED_NAMES, (_, list: string) => {
    const quoted = [...list.matchAll(/'((?:[^'\\]|\\.)*)'/g)];
    const names = quoted.map(([, name = '']) => name.replace(/\\(.)/g, '$1'));
    const [last = '', ...others] = names.toReversed();
    return `Did you mean ${others.length === 0 ? '' : `${others.toReversed().join(', ')} or `}${last}?`;
  });
}

/** The engine demands the setting `union_default_mode`, which a query may not set. */
function bareUnion(text: string, { written = '' }: SafeMessageContext): string | null {
  if (!text.startsWith('Expected ALL or DISTINCT in')) return null;
  const isBare = (given: LexedText, at: number) =>
    /^UNION$/i.test(nameAt(given, at)) && !/^(?:ALL|DISTINCT)$/i.test(nameAt(given, at + 1));
  const position = positionWhere({ sql: written, tokens: [...lexSql(written)] }, isBare);
  return `UNION${position} needs ALL or DISTINCT. Write UNION ALL, or UNION DISTINCT to remove duplicate rows.`;
}

/** The position as line and column of the author's text, the token there, and the first expected tokens. */
function syntaxError(text: string, context: SafeMessageContext): string | null {
  const match = /failed at position (\d+)(?: \(([\s\S]*?)\))?(?: \(line \d+, col \d+\))?: ?/.exec(
    text,
  );
  if (match === null) return null;
  const position = positionIn(Number(match[1]), match[2] ?? '', context);
  const reason = /^([A-Z][^:]*?(?:is not closed|are not allowed))/.exec(text)?.[1];
  const unmatched = /Unmatched parentheses/.test(text) ? ' Its parentheses do not match.' : '';
  const expected = /Expected one of: ([\s\S]*?)\.?$/.exec(text)?.[1];
  const list = expected === undefined ? '' : expectation(expected);
  const cause = reason === undefined ? '' : ` ${reason}.`;
  return `Syntax error${position}.${cause}${unmatched}${list}`;
}

function positionIn(position: number, token: string, context: SafeMessageContext): string {
  const near = token === '' || token === 'end of query' ? '' : ` near \`${token.slice(0, 40)}\``;
  if (context.sql === undefined) return near;
  const offset = position - 1 - (context.bytesBefore ?? 0);
  if (token === 'end of query' || offset < 0) return token === '' ? '' : ' at the end of the query';
  const before = Buffer.from(context.sql).subarray(0, offset).toString('utf8');
  return `${positionOf(before, before.length)}${near}`;
}

/** Drops descriptions that only make sense inside the engine's parser. */
function expectation(expected: string): string {
  const items = expected
    .split(/,\s*/)
    .map((item) => item.trim())
    .filter((item) => /^[A-Z][A-Z ]*$/.test(item) || item === 'Comma' || item === 'identifier');
  const shown = [...new Set(items)].slice(0, SHOWN_EXPECTATIONS).join(', ');
  return shown === '' ? '' : ` Expected: ${shown}.`;
}

function finish(text: string): string {
  const oneLine = text
    .replace(/\s+/g, ' ')
    .replace(/[\s:;,.]+$/, '')
    .trim();
  if (oneLine === '') return 'The engine refused the query.';
  const short = oneLine.length > MAX_LENGTH ? `${oneLine.slice(0, MAX_LENGTH - 1)}…` : oneLine;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
