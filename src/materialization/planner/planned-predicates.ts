/** The predicates on variables that a plan reports to users, and those of aggregates, for its proof. */
import type { ComparedVariable, PlannedPredicate } from '../../model/materialization-plan.ts';
import type { Token } from '../../sql/sql-analysis.ts';
import type { PlanContext, StoredConditions } from './plan-context.ts';
import { stored } from './stored-columns.ts';
import { comparedElement, comparisonsIn } from './text/comparisons.ts';
import { type Parameters, variablesIn } from './text/parameters.ts';
import type { Predicate } from './text/predicates.ts';
import { renderCondition, storedColumnsIn } from './text/stored-expressions.ts';
import {
  closingBracketOf,
  isExpressionKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from './text/tokens.ts';

interface Use {
  readonly column: number | null;
  readonly operator: string;
  /** Empty if it is not the other side of a comparison. */
  readonly right: Tokens;
}

/** One entry per column a variable is compared with; for a variable compared with none, one for its whole condition. */
export function plannedPredicates(context: PlanContext): readonly PlannedPredicate[] {
  const { parameters, condition, authorExpressions } = context;
  const asWritten = (tokens: Tokens) => {
    const text = textOf(tokens).replace(/\b__h\d+/g, (name) => authorExpressions.get(name) ?? name);
    return parameters.restore(text);
  };
  return condition.predicates.flatMap((predicate) => {
    const written = asWritten(predicate.written);
    const given = predicate.variables.filter((variable) => !parameters.isCall(variable));
    return given.flatMap((variable) =>
      usesOf(predicate, variable).map(({ column, operator, right }) => {
        const used = predicate.columns.find((one) => one.column === column);
        const sides = used === undefined ? null : { left: used.expression, right };
        return {
          variable: parameters.names[variable] ?? '',
          expression: used === undefined ? written : asWritten(used.expression),
          operator,
          column: column === null ? null : stored.variable(column),
          ...(sides === null ? {} : comparedElement(sides, variable)),
          condition: written,
        };
      }),
    );
  });
}

/** The comparisons with variables in conditions of aggregates. */
export function comparedInConditions(
  { conditions, nameOf }: Pick<StoredConditions, 'conditions' | 'nameOf'>,
  { names, isCall, restore }: Parameters,
): readonly ComparedVariable[] {
  const found = conditions.flatMap((tokens) => {
    const condition = restore(renderCondition(tokens, nameOf));
    return comparisonsIn(tokens).flatMap(({ column, operator, right }) =>
      variablesIn(right)
        .filter((variable) => !isCall(variable))
        .map((variable) => ({
          ...{ variable: names[variable] ?? '', operator },
          ...{ column: nameOf(column), condition },
        })),
    );
  });
  const keyOf = ({ variable, operator, column }: ComparedVariable) =>
    `${variable} ${operator} ${column}`;
  return [...new Map(found.map((one) => [keyOf(one), one])).values()];
}

function usesOf({ condition, columns }: Predicate, variable: number): readonly Use[] {
  const compared = comparisonsIn(condition).filter(({ right }) =>
    variablesIn(right).includes(variable),
  );
  if (compared.length > 0) return distinct(compared);
  if (columns.length === 0) return [{ column: null, operator: operatorOf(condition), right: [] }];
  return columns.map(({ column }) => ({
    column,
    operator: operatorBetween(condition, variable, column) ?? operatorOf(condition),
    right: [],
  }));
}

function distinct(uses: readonly Use[]): readonly Use[] {
  const keyOf = ({ column, operator }: Use) => `${column} ${operator}`;
  return [...new Map(uses.map((use) => [keyOf(use), use])).values()];
}

/** The function or operator of the smallest subexpression that contains both; null if none does. */
function operatorBetween(tokens: Tokens, variable: number, column: number): string | null {
  const inner = unwrapped(tokens);
  if (!variablesIn(inner).includes(variable) || !storedColumnsIn(inner).includes(column)) {
    return null;
  }
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at]?.text !== '(' && inner[at]?.text !== '[') continue;
    const end = closingBracketOf(inner, at);
    const inside = inner.slice(at + 1, end);
    for (const element of splitList(inside)) {
      const found = operatorBetween(element, variable, column);
      if (found !== null) return found;
    }
    const name = inner[at - 1];
    const isCall = isName(name) && !isExpressionKeyword(name);
    const holdsBoth =
      variablesIn(inside).includes(variable) && storedColumnsIn(inside).includes(column);
    if (isCall && holdsBoth) return nameOf(name);
    at = end;
  }
  return operatorOf(inner);
}

/** The first operator outside brackets, otherwise the name of the called function. */
function operatorOf(condition: Tokens): string {
  const tokens = unwrapped(condition);
  const outside: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    if ('([{'.includes(token.text)) at = closingBracketOf(tokens, at);
    else if (isOperator(token)) outside.push(token.text.toUpperCase());
  }
  const isNegated = outside[0] === 'NOT' && outside.length > 1;
  if (isNegated) return `${outside[0]} ${outside[1]}`;
  const [name] = tokens;
  return outside[0] ?? (isName(name) ? nameOf(name) : '');
}

function isOperator(token: Token): boolean {
  const isOperand = /^(BareWord|QuotedIdentifier|Number|StringLiteral|StoredColumn|Dot|Comma)$/;
  return isExpressionKeyword(token) || !isOperand.test(token.kind);
}
