import { type ChildServer, startChild } from './child-server.ts';
import type { LoadResponse } from './socket-load.ts';

/** A bare server that sends these bytes: the nth response at the path `/n`. */
export function startRaw(responses: readonly LoadResponse[]): Promise<ChildServer> {
  return startChild({ script: 'raw-server.ts', input: responses.map(toLine).join('\n') });
}

const sentHeaders = ['content-type', 'content-encoding'];

function toLine({ headers, body }: LoadResponse): string {
  const named = Object.entries(headers).filter(([name]) => sentHeaders.includes(name));
  return JSON.stringify({ headers: Object.fromEntries(named), base64: body.toString('base64') });
}
