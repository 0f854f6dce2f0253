import { type ChildServer, startChild } from './child-server.ts';
import type { Answer } from './socket-load.ts';

/** A bare server of these answers' bytes: the nth at the path `/n`. */
export function startRaw(answers: readonly Answer[]): Promise<ChildServer> {
  return startChild({ script: 'raw-server.ts', input: answers.map(toLine).join('\n') });
}

const kept = ['content-type', 'content-encoding'];

function toLine({ headers, body }: Answer): string {
  const named = Object.entries(headers).filter(([name]) => kept.includes(name));
  return JSON.stringify({ headers: Object.fromEntries(named), base64: body.toString('base64') });
}
