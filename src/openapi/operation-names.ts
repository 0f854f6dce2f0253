/** Names within a document, from which generators derive the names of functions and types. */

/** The row component of an operation: `run_flights_by_day` has `FlightsByDayRow`. */
export function rowComponentOf(operationId: string): string {
  return `${pascalNameOf(operationId)}Row`;
}

export function pascalNameOf(operationId: string): string {
  return operationId
    .replace(/^run_/, '')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Assigns operation ids in a document: each is unique, and so are the names that generators derive from it. */
export interface OperationIds {
  /** The wanted id, with a number appended if it, or its id for GET, is taken. */
  take(wanted: string): string;
}

export function openOperationIds(): OperationIds {
  const taken = new Set<string>();
  return {
    take(wanted) {
      for (let at = 1; ; at += 1) {
        const id = at === 1 ? wanted : `${wanted}_${at}`;
        const keys = [derivedFrom(id), derivedFrom(`${id}_get`)];
        if (keys.some((key) => taken.has(key))) continue;
        for (const key of keys) taken.add(key);
        return id;
      }
    },
  };
}

/** Equal for ids that differ only in case or underscores, which generators turn into the same name or file. */
function derivedFrom(id: string): string {
  return id.replaceAll('_', '').toLowerCase();
}
