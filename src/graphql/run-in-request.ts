import { currentFacts } from '../http/request-facts.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { runEndpoint } from '../runs/run-endpoint.ts';
import { runQuery } from '../runs/run-query.ts';
import type { RunInput } from '../runs/run-request.ts';
import type { RunResponse } from '../runs/run-response.ts';
import { unsavedName } from '../runs/unsaved-query.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { GatewayContext } from './context.ts';

/** Used by every field that runs an endpoint, so that the request's run limit covers all of them. */
export function runInRequest(
  context: GatewayContext,
  { endpoint, ...call }: EndpointCall,
): MaybePromise<RunResponse> {
  const { deps, via } = context;
  currentFacts()?.noteTarget(call.projectId, call.name, call.input.version);
  return context.runs.begin(() =>
    andThen(context.principal(), (principal) => {
      const run = deps.preparedRuns.prepare({ ...call, valueSource: 'json', via });
      return runEndpoint(deps, principal, { run, caller: context, endpoint });
    }),
  );
}

interface EndpointCall {
  readonly projectId: string;
  readonly name: string;
  readonly input: RunInput;
  /** The endpoint if it was just looked up; absent to look it up by name. */
  readonly endpoint?: EndpointRecord;
}

/** The same for an unsaved query. */
export function queryInRequest(
  context: GatewayContext,
  {
    query,
    ...call
  }: { readonly projectId: string; readonly query: unknown; readonly input: RunInput },
): MaybePromise<RunResponse> {
  const { deps, via } = context;
  return context.runs.begin(() =>
    andThen(context.principal(), (principal) => {
      const run = deps.preparedRuns.prepare({
        ...call,
        name: unsavedName,
        valueSource: 'json',
        via,
      });
      return runQuery(deps, principal, { run, query, caller: context });
    }),
  );
}
