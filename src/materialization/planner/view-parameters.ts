/** A view may have parameters, to which another view gives values: `FROM orders_of(country = 'de')`. */
import { sampleVariables } from '../../query/variables.ts';
import { findPlaceholders } from '../../sql/placeholders.ts';
import { type Parameters, toParameters } from './text/parameters.ts';

/** With sample values, for what is read of the view's text and holds for any values. */
export function parametersOfView(select: string): Parameters {
  const definition = { kind: 'SQLQuery' as const, query: select, variables: {} };
  const placeholders = findPlaceholders(select);
  return toParameters(
    select,
    sampleVariables({ definition, placeholders, definitions: new Map() }),
  );
}
