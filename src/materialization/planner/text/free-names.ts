/** Rejects names that conflict with the planner. */
import { refuse } from '../refusal.ts';
import { isReservedName } from '../stored-columns.ts';
import { hasVariable } from './parameters.ts';
import { isName, nameOf, type Tokens } from './tokens.ts';

/** The engine's escape for control characters within quotes; a backslash is written twice. */
const CONTROL = /^(?:[^\\]|\\[\\`"'])*\\[^\\`"']/;

/** Throws Refusal for reserved stored column names, and for names that formatting changes. */
export function requireFreeNames(tokens: Tokens): void {
  const own = tokens.find(
    (token) => isName(token) && isReservedName(nameOf(token)) && !hasVariable([token]),
  );
  const odd = tokens.find((token) => token.kind === 'QuotedIdentifier' && CONTROL.test(token.text));
  if (odd !== undefined) {
    refuse(`The name ${odd.text} holds a control character, as a line break; use another name.`);
  }
  if (own !== undefined) {
    refuse(`The name ${own.text} is reserved for stored tables; use another name.`);
  }
}
