/** The acceptance suite that an operator runs, against the two local nodes, and what it says of servers that do not do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProfiles } from '../../src/engine/clickhouse/provision/provision-sql.ts';
import { dba, startDbaServer } from '../support/dba-server.ts';
import { openTwoNodes, type TwoNodes } from '../support/two-nodes.ts';
import { tryCluster } from './cluster/acceptance.ts';
import { parseClusterOptions } from './cluster/options.ts';
import { runCluster } from './cluster/run.ts';

let two: TwoNodes;
beforeAll(async () => {
  two = await openTwoNodes();
});
afterAll(() => two?.stop());

const args = (project: number, url = two.shared.clickhouseUrl) => [
  ...['--url', url, '--cluster', two.cluster, '--secret', two.shared.secret],
  ...['--project', String(project)],
  ...two.urls.flatMap((one) => ['--node', one]),
];

async function run(given: readonly string[]) {
  const lines: string[] = [];
  const code = await runCluster(given, (text) => lines.push(text));
  return { code, text: lines.join('\n') };
}

const databases = () =>
  Promise.all(
    ([0, 1] as const).map((node) => two.sql(node, 'SELECT name FROM system.databases ORDER BY 1')),
  );

describe('npm run faults -- cluster', () => {
  it('passes on two nodes, says what does not apply there, and leaves nothing', async () => {
    const before = await databases();
    const rows = await tryCluster(parseClusterOptions(args(50)));
    const of = (result: string) => rows.filter((row) => row.result === result);
    expect(of('failed')).toEqual([]);
    expect(of('not applicable').map(({ name }) => name)).toEqual([
      'The administrator makes users and settings profiles by SQL',
      'DDL ON CLUSTER',
      'A Replicated database',
      'A table of the engine ReplicatedMergeTree',
      'A table of the engine SharedMergeTree',
    ]);
    for (const { why } of of('not applicable')) expect(why).not.toBe('');
    expect(of('passed').length).toBeGreaterThanOrEqual(16);
    expect(await databases()).toEqual(before);
  });

  it('reads the shards of a cluster that has several', async () => {
    const rows = await tryCluster(
      parseClusterOptions([...args(51).with(3, two.clusters.shards), '--servers-only']),
    );
    const row = rows.find(({ name }) => name === 'A Distributed table reads every shard');
    expect(row).toMatchObject({ result: 'passed', why: '2 shards' });
  });

  it('says what failed and ends with 1: an administrator who is none', async () => {
    const url = new URL(two.shared.clickhouseUrl);
    url.password = 'wrong';
    const { code, text } = await run(args(52, url.href));
    expect(code).toBe(1);
    expect(text).toMatch(/^FAILED {2}The servers answer: admin: Authentication failed/m);
  });

  it('says what failed: a project whose users are not there', async () => {
    const { code, text } = await run(args(52).with(5, 'another secret'));
    expect(code).toBe(1);
    expect(text).toMatch(/^FAILED {2}The service starts and makes a project: .*has no users/m);
    expect(text).toMatch(/^passed {2}Nothing is left/m);
  });

  it('drops what it made when it is stopped', async () => {
    const before = await databases();
    const stop = new AbortController();
    const rows = await tryCluster(parseClusterOptions([...args(54), '--servers-only']), {
      onRow: () => stop.abort(new Error('stopped')),
      signal: stop.signal,
    });
    expect(rows.map(({ name, result }) => [name, result])).toEqual([
      ['The servers answer', 'passed'],
      ['Nothing is left', 'passed'],
    ]);
    expect(await databases()).toEqual(before);
  });

  it('leaves a database as it is that is somebody’s', async () => {
    await two.sql(1, 'CREATE DATABASE project_53');
    const { code, text } = await run(args(53));
    expect({ code, text }).toEqual({
      code: 1,
      text: 'The servers have a database project_53: it is left as it is.',
    });
    expect(await two.sql(1, 'EXISTS DATABASE project_53')).toBe('1\n');
  });

  it('leaves servers alone on which a Querydock has its settings profiles', async () => {
    const theirs = { name: 'theirs', grants: ['SELECT ON *.*'], profile: '' };
    const server = await startDbaServer([{ ...theirs, profileName: sharedProfiles.reader }]);
    const { code, text } = await run(['--url', server.urlOf(dba)]);
    await server.stop();
    expect(code).toBe(1);
    expect(text).toContain(`profiles ${sharedProfiles.reader} and`);
    expect(text).toContain('whose limits a second service would replace');
  });

  it.each([
    [[], '--url is missing.'],
    [['--url', 'http://127.0.0.1:8123'], '--url needs an administrator'],
    [['--url', 'http://a:b@h:1', '--node', 'http://h:1'], '--node is given for every node'],
    [['--url', 'http://a:b@h:1', '--project', 'x'], '--project takes the id'],
  ])('refuses %j with what is accepted', async (given, message) => {
    const { code, text } = await run(given);
    expect(code).toBe(2);
    expect(text).toContain(message);
    expect(text).toContain('npm run faults -- cluster --url');
  });
});
