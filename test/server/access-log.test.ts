import { Writable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import type { LogLevel } from '../../src/lib/log.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
afterEach(() => test.close());

/** Asks 25 times, three of them in vain, and answers the lines by status. */
async function linesOf(level: LogLevel, settings: Parameters<typeof openTestApp>[0]) {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  test = await openTestApp(settings, openLog(level, sink));
  for (let n = 0; n < 22; n += 1) await test.rest('GET', '/endpoints');
  for (let n = 0; n < 3; n += 1) await test.rest('GET', '/endpoints/none');
  const lines = text.split('\n').filter((line) => line.includes('"msg":"request"'));
  const statuses = lines.map((line) => (JSON.parse(line) as { status: number }).status);
  const count = (status: number) => statuses.filter((found) => found === status).length;
  return { ok: count(200), failed: count(404) };
}

it('has the first of every ten quick responses and each failure', async () => {
  const slowRequestMs = 3_600_000;
  expect(await linesOf('info', { accessLogEvery: 10, slowRequestMs })).toEqual({
    ok: 3,
    failed: 3,
  });
  const { requests } = { requests: await test.app.fetch(new Request('http://x.test/metrics')) };
  expect(await requests.text()).toContain('operation="list",status="200"} 22');
});

it('has every slow response', async () => {
  const found = await linesOf('info', { accessLogEvery: 1000, slowRequestMs: 0 });
  expect(found).toEqual({ ok: 22, failed: 3 });
});

it('has every response at level debug', async () => {
  const found = await linesOf('debug', { accessLogEvery: 1000, slowRequestMs: 3_600_000 });
  expect(found).toEqual({ ok: 22, failed: 3 });
});
