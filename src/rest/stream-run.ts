import type { Principal } from '../access/principal.ts';
import type { GatewayDeps } from '../graphql/context.ts';
import { eventHeaders } from '../http/event-stream.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import type { RunContent } from '../live/content.ts';
import type { Representation } from '../live/sources.ts';
import type { RunInput } from '../runs/run-request.ts';
import { type ChangesInput, changedRows, changesKeyOf } from './changed-rows.ts';
import type { PathParams } from './match-route.ts';
import type { ParsedInput } from './read-input.ts';
import { toRunBody } from './render-run.ts';
import { openRunWire } from './run-events.ts';

type StreamInput = RunInput & ChangesInput & { readonly intervalSeconds?: number };

/** Subscribes to a run's results as an event stream. Throws as `followRun` does. */
export async function streamRun(
  { core, live }: GatewayDeps,
  request: Pick<HttpRequest, 'headers' | 'signal'>,
  {
    principal,
    params,
    input,
    valueSource,
  }: ParsedInput & { readonly principal: Principal; readonly params: PathParams },
): Promise<HttpResponse> {
  const { projectId, name } = params;
  const { intervalSeconds, changes, key, ...run } = input as StreamInput;
  const changesKey = changesKeyOf({ changes, key });
  const representation = changesKey === null ? whole : changedRows(changesKey);
  const call = { projectId, name, input: run, valueSource, via: 'rest' } as const;
  const followed = { call, intervalSeconds: intervalSeconds ?? null, representation };
  const caller = {
    principal,
    authorization: request.headers.get('authorization') ?? '',
    has: request.headers.get('last-event-id'),
    signal: request.signal,
  };
  const stream = await live.openEvents(
    openRunWire(core.config.reconnectSpreadSeconds),
    (subscriber) => live.followRun(followed, caller, subscriber),
  );
  const { body: events, outcome } = stream;
  return { status: 200, headers: eventHeaders, body: [], events, outcome };
}

/** The complete body of a run. */
const whole: Representation<RunContent> = {
  name: 'rest',
  open: () => (content) => ({ data: Buffer.concat(toRunBody(content.run)), changes: null }),
};
