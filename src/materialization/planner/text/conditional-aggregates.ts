/**
 * Aggregates whose condition has variables: stored without the condition, grouped by its columns, so that reads apply
 * it.
 */
import { refuseClause } from '../refusal.ts';
import { hasVariable } from './parameters.ts';
import {
  closingBracketOf,
  hasKeyword,
  isKeyword,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

/** The parts of an aggregate call used here. */
interface Call {
  readonly tokens: Tokens;
  readonly name: { readonly base: string; readonly combinators: readonly string[] };
  readonly params: string;
  readonly args: string;
}

interface ConditionalAggregate<C> {
  readonly call: C;
  readonly condition: Tokens;
}

/**
 * Splits an aggregate with variables in the condition of `-If` or of `sum(if(condition, value, 0))`; null if it has
 * no variables. Throws Refusal for variables anywhere else.
 */
export function splitCondition<C extends Call>(call: C): ConditionalAggregate<C> | null {
  if (!hasVariable(call.tokens)) return null;
  const args = argumentsOf(call);
  const { base, combinators } = call.name;
  const condition = args.at(-1);
  if (combinators.at(-1) === 'If' && condition !== undefined && isPlain(condition)) {
    const name = { base, combinators: combinators.slice(0, -1) };
    return { call: withArguments({ ...call, name }, args.slice(0, -1)), condition };
  }
  const [chosen, ...others] = args;
  const branches = chosen === undefined ? null : branchesOf(chosen);
  if (base === 'sum' && combinators.length === 0 && others.length === 0 && branches !== null) {
    return { call: withArguments(call, [branches.value]), condition: branches.condition };
  }
  return refuseClause(
    `The aggregate ${call.tokens[0]?.text ?? ''} takes something that a variable or the time changes; use that in the condition of sumIf, countIf and the like, or outside of the aggregate.`,
  );
}

function isPlain(condition: Tokens): boolean {
  return hasVariable(condition) && !hasKeyword(condition, 'SELECT', 'AS', 'OVER');
}

export function argumentsOf({
  tokens,
  params,
}: Pick<Call, 'tokens' | 'params'>): readonly Tokens[] {
  const first = closingBracketOf(tokens, 1);
  const open = params === '' && first === tokens.length - 1 ? 1 : first + 1;
  return splitList(tokens.slice(open + 1, -1));
}

/** Throws Refusal if the remaining call has variables. */
function withArguments<C extends Call>(call: C, args: readonly Tokens[]): C {
  if (args.some(hasVariable) || /\bquerydock_var_/.test(call.params)) {
    refuseClause(
      `The aggregate ${call.tokens[0]?.text ?? ''} uses a variable beside its condition; use it in the condition alone.`,
    );
  }
  return { ...call, args: args.map(textOf).join(', ') };
}

/** Parts of `if(condition, value, 0)` or of a CASE with one WHEN. */
function branchesOf(tokens: Tokens): { condition: Tokens; value: Tokens } | null {
  const isCall = isKeyword(tokens[0], 'IF', 'MULTIIF') && tokens[1]?.text === '(';
  const isWhole = isCall && closingBracketOf(tokens, 1) === tokens.length - 1;
  const parts = isWhole ? splitList(tokens.slice(2, -1)) : caseParts(tokens);
  const [condition, value, other] = parts;
  const isZero = other?.length === 1 && other[0]?.text === '0';
  if (condition === undefined || value === undefined || parts.length !== 3 || !isZero) return null;
  return isPlain(condition) ? { condition, value } : null;
}

function caseParts(tokens: Tokens): readonly Tokens[] {
  if (!isKeyword(tokens[0], 'CASE') || !isKeyword(tokens[1], 'WHEN')) return [];
  const at = (word: string) => tokens.findIndex((token) => isKeyword(token, word));
  const isOne = ['WHEN', 'THEN', 'ELSE', 'END', 'CASE'].every(
    (word) => tokens.filter((token) => isKeyword(token, word)).length === 1,
  );
  if (!isOne || at('END') !== tokens.length - 1) return [];
  return [
    tokens.slice(2, at('THEN')),
    tokens.slice(at('THEN') + 1, at('ELSE')),
    tokens.slice(at('ELSE') + 1, -1),
  ];
}
