import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { runEndpoint } from '../runs/run-endpoint.ts';
import type { RunInput } from '../runs/run-request.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { GatewayContext } from './context.ts';

/** Every field that runs an endpoint does it here, so that none escapes the request's allowance. */
export function runInRequest(
  context: GatewayContext,
  {
    projectId,
    name,
    input,
  }: { readonly projectId: string; readonly name: string; readonly input: RunInput },
): MaybePromise<RunResponse> {
  if (context.given !== undefined) return context.given;
  context.runs.take();
  return andThen(context.principal(), (principal) =>
    runEndpoint(context.deps, principal, {
      projectId,
      name,
      input,
      valueSource: context.valueSource,
      via: context.via,
      caller: context,
    }),
  );
}
