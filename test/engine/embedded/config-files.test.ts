import { describe, expect, it } from 'vitest';
import { projectLogin } from '../../../src/engine/clickhouse/http/connection.ts';
import { sha256Hex } from '../../../src/engine/clickhouse/provision/project-users.ts';
import { configXml, slotsOf, usersXml } from '../../../src/engine/embedded/config-files.ts';
import { config } from '../support/local-engine.ts';

const xml = usersXml({
  limits: config,
  adminUser: 'admin',
  adminPassword: 'pass<word>&',
  secret: 'the secret',
  slots: 3,
  hasWriter: (projectId) => projectId !== 2,
});
const userOf = (name: string) => new RegExp(`<${name}>.*</${name}>`).exec(xml)?.[0] ?? '';

describe('the users file', () => {
  it('has a reader for each slot, a writer where one is wanted, and no more', () => {
    const names = [...xml.matchAll(/<(project_\d+_\w+)>/g)].map((match) => match[1]);
    expect(names).toEqual(
      [1, 2, 3].flatMap((id) =>
        id === 2 ? ['project_2_reader'] : [`project_${id}_reader`, `project_${id}_writer`],
      ),
    );
    expect(slotsOf(xml)).toEqual({ slots: 3, writers: [1, 3] });
    expect(slotsOf(xml.slice(0, -20))).toEqual({ slots: 0, writers: [] });
  });

  it('holds hashes only', () => {
    const login = projectLogin('the secret', 2, 'reader');
    expect(userOf('project_2_reader')).toContain(sha256Hex(login.password));
    for (const secret of [login.password, 'the secret', 'pass<word>', 'pass&lt;']) {
      expect(xml).not.toContain(secret);
    }
  });

  it('lets a reader read its own database from this machine, and nothing else', () => {
    const reader = userOf('project_2_reader');
    expect(reader.match(/<query>.*?<\/query>/g)).toEqual([
      '<query>GRANT SELECT ON project_2.*</query>',
    ]);
    expect(reader).toContain('<networks><ip>127.0.0.1</ip></networks>');
    expect(reader).toContain('<profile>reader</profile>');
  });

  it('gives the readers the limits of the settings', () => {
    const profile = /<reader>.*<\/reader>/.exec(xml)?.[0] ?? '';
    expect(profile).toContain('<readonly>1</readonly>');
    expect(profile).toContain(`<max_memory_usage>${config.queryMemoryBytes}</max_memory_usage>`);
    expect(profile).toContain(`<max_result_bytes>${config.maxResultBytes}</max_result_bytes>`);
    expect(profile).toContain('<max_execution_time><min>1</min><max>4</max>');
    expect(profile).toContain('<limit><changeable_in_readonly/></limit>');
  });

  it('leaves the user without a password next to nothing', () => {
    const boot = /<users>(<default>.*?<\/default>)/.exec(xml)?.[1] ?? '';
    expect(boot.match(/GRANT [^<]*/g)).toEqual([
      'GRANT SYSTEM LISTEN ON *.*',
      'GRANT SELECT ON system.numbers',
    ]);
    expect(xml).toContain('<max_sessions_for_user>1</max_sessions_for_user>');
  });
});

it('the configuration bounds the memory of the whole engine', () => {
  expect(configXml({ engineMemoryBytes: 5 })).toContain(
    '<max_server_memory_usage>5</max_server_memory_usage>',
  );
});
