import http from 'node:http';

export interface LoadCase {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Throws when the answer is not what it must be, so that no case is fast by being wrong. */
  readonly check: (status: number, text: string) => void;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
}

const connections = 16;

/** Asks over and over on 16 connections for a bounded time. The first answer of each connection is checked. */
export async function load(target: LoadCase, seconds: number): Promise<LoadResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const { status, text } = await ask(target, agent);
      target.check(status, text);
      while (performance.now() < until) {
        const at = performance.now();
        await ask(target, agent);
        times.push(performance.now() - at);
      }
    }),
  );
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / seconds,
    p50Ms: times[Math.floor(times.length / 2)] ?? Number.NaN,
  };
}

function ask(target: LoadCase, agent: http.Agent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      target.url,
      { method: target.method, headers: target.headers, agent },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on('error', reject);
    request.end(target.body);
  });
}
