import type { EndpointDeps } from '../endpoints/deps.ts';
import { endpointNotFoundNear } from '../endpoints/resolve-version.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

/**
 * The document's selection of a record that a use case has just found or written. Throws `missing` when it has been
 * deleted since, as if it had never existed.
 */
export async function stillThere<Row>(
  reading: PromiseLike<Row | null>,
  missing: () => MaybePromise<Error>,
): Promise<Row> {
  const row = await reading;
  if (row === null) throw await missing();
  return row;
}

/** The same for an endpoint, its versions and their materializations. */
export function stillOf<Row>(
  deps: EndpointDeps,
  { projectId, name }: { readonly projectId: number; readonly name: string },
  reading: PromiseLike<Row | null>,
): Promise<Row> {
  return stillThere(reading, () => endpointNotFoundNear(deps, projectId, name));
}
