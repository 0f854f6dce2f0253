/** A SELECT of the rows of all values of variables, made of one whose CTEs and subqueries have conditions on these. */
import type { QueryContext } from '../plan-context.ts';
import { withoutCtes } from '../text/inline-ctes.ts';
import { hasVariable } from '../text/parameters.ts';
import { parseCondition } from '../text/predicates.ts';
import {
  appended,
  clauseTexts,
  isUnion,
  parseSelect,
  renderSelect,
  type Select,
} from '../text/select.ts';
import { renderCondition } from '../text/stored-expressions.ts';
import { bracketDepths, closingBracketOf, isKeyword, type Tokens, textOf } from '../text/tokens.ts';
import { comparedConditions } from './without-variables.ts';

type Analyzed = Pick<QueryContext, 'analysis' | 'parameters'>;

/**
 * The SELECT without the conditions on variables in its sources. Where one chooses one value of a column, the SELECT
 * itself has the condition. Null if its sources have none. Throws Refusal for conditions that cannot be evaluated
 * outside.
 */
export async function withUnfilteredSources(
  statement: string,
  { analysis, parameters }: Analyzed,
): Promise<Select | null> {
  const written = await analysis.tokens(statement);
  if (!hasVariable(written)) return null;
  const select = parseSelect(await inlined(written, analysis));
  const from = select.clauses.get('FROM') ?? [];
  if (!hasVariable(from)) return null;
  const sources = unfiltered(from, namingOf(parameters));
  const where = select.clauses.get('WHERE');
  const own = where === undefined ? '' : `(${textOf(where)})`;
  const moved = sources.given.map(({ name, condition }) => `(${condition(name)})`);
  const texts = clauseTexts(select).set('FROM', textOf(sources.tokens));
  texts.set('WHERE', appended(own, moved, ' AND '));
  return parseSelect(await analysis.tokens(await analysis.format(renderSelect(texts))));
}

/** The SELECT itself without its conditions on variables, which may have further columns. Throws Refusal. */
export async function withoutConditions(
  statement: string,
  { analysis, parameters }: Analyzed,
): Promise<string> {
  const tokens = await inlined(await analysis.tokens(statement), analysis);
  return unfilteredSubquery(tokens, namingOf(parameters)).text;
}

/** With subqueries in place of CTEs. */
async function inlined(written: Tokens, analysis: Analyzed['analysis']): Promise<Tokens> {
  const text = withoutCtes(written);
  return text === null ? written : analysis.tokens(await analysis.format(text));
}

function namingOf({ names }: Analyzed['parameters']): Naming {
  let count = 0;
  return { names, nextName: () => `__querydock_given${count++}` };
}

/** A column that a condition compares with one value. */
interface GivenColumn {
  readonly name: string;
  /** The condition on the column of a name. */
  readonly condition: (name: string) => string;
}

interface Naming {
  /** Of the variables. */
  readonly names: readonly string[];
  readonly nextName: () => string;
}

interface UnfilteredSources {
  readonly tokens: Tokens;
  readonly given: readonly GivenColumn[];
}

function unfiltered(from: Tokens, naming: Naming): UnfilteredSources {
  const depth = bracketDepths(from);
  const tokens = [];
  const given: GivenColumn[] = [];
  for (let at = 0; at < from.length; at += 1) {
    const token = from[at];
    if (token === undefined) break;
    const isSubquery = token.text === '(' && isKeyword(from[at + 1], 'SELECT', 'WITH');
    if (!isSubquery || depth[at] !== 0 || isKeyword(from[at - 1], 'IN')) {
      tokens.push(token);
      continue;
    }
    const end = closingBracketOf(from, at);
    const inner = unfilteredSubquery(from.slice(at + 1, end), naming);
    const alias = isKeyword(from[end + 1], 'AS') ? `${from[end + 2]?.text ?? ''}.` : '';
    tokens.push({ ...token, text: `(${inner.text})` });
    given.push(...inner.given.map((one) => ({ ...one, name: `${alias}${one.name}` })));
    at = end;
  }
  return { tokens, given };
}

interface UnfilteredSubquery {
  readonly text: string;
  readonly given: readonly GivenColumn[];
}

function unfilteredSubquery(tokens: Tokens, naming: Naming): UnfilteredSubquery {
  if (!hasVariable(tokens) || isUnion(tokens)) return { text: textOf(tokens), given: [] };
  const select = parseSelect(tokens);
  const sources = unfiltered(select.clauses.get('FROM') ?? [], naming);
  const { predicates, rest } = parseCondition(comparedConditions(select), naming.names);
  const items: string[] = [];
  const given: GivenColumn[] = [];
  const add = (expression: string, condition: GivenColumn['condition']) => {
    const name = naming.nextName();
    items.push(`${expression} AS ${name}`);
    given.push({ name, condition });
  };
  for (const { comparison, columns, condition } of predicates) {
    const [compared] = columns;
    if (comparison?.kind !== 'equal' || comparison.role !== 'whole' || compared === undefined)
      continue;
    add(textOf(compared.expression), (name) => renderCondition(condition, () => name));
  }
  for (const { name, condition } of sources.given) add(name, condition);
  const texts = clauseTexts(select).set('FROM', textOf(sources.tokens));
  texts.set('SELECT', appended(texts.get('SELECT'), items, ', '));
  texts.set('WHERE', rest.join(' AND '));
  return { text: renderSelect(texts), given };
}
