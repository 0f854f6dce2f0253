import { describe, expect, it } from 'vitest';
import { nodeUrls } from '../../src/config/cluster-settings.ts';
import { ConfigError, readConfig } from '../../src/config/config.ts';

describe('the configuration', () => {
  it('has every default where nothing or an empty text is set', () => {
    expect(readConfig({ QUERY_TIMEOUT_SECONDS: '' })).toEqual(readConfig({}));
  });

  it('reads what is set', () => {
    expect(readConfig({ QUERY_TIMEOUT_SECONDS: '7', PORT: '0' })).toMatchObject({
      queryTimeoutSeconds: 7,
      port: 0,
    });
  });

  it('reports every wrong setting at once, with what it takes and its default', () => {
    const read = () => readConfig({ QUERY_TIMEOUT_SECONDS: 'soon', PORT: '70000' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      /^QUERY_TIMEOUT_SECONDS=soon is not an integer from 1 to \d+\. Accepted: seconds\. Default: 30\.$/m,
    );
    expect(read).toThrow(/^PORT=70000 is not an integer from 0 to 65535\./m);
  });

  it.each([
    ['DATA_DIR', '"/srv/data"', 'folder', './.data'],
    ['CORS_ORIGINS', "'https://a.example'", 'comma-separated origins, or *', 'empty'],
    ['PORT', '"80"', 'port', '4000'],
  ])(
    'refuses %s in quotes, as a file of settings has it that no shell reads',
    (name, given, unit, own) => {
      expect(() => readConfig({ [name]: given })).toThrow(
        `${name}=${given} is in quotes, which would be part of the value: leave them out. Accepted: ${unit}. Default: ${own}.`,
      );
    },
  );

  it('takes the quotes of a secret as its own', () => {
    const given = { CLICKHOUSE_USER_SECRET: '"a"', OIDC_CLIENT_SECRET: '"b"' };
    const nobody = 'OIDC_ISSUER is empty';
    expect(() => readConfig(given)).toThrow(nobody);
    expect(() => readConfig(given)).not.toThrow('quotes');
  });

  it.each(['PORT=80', 'DATA_DIR=/srv/data', 'DATABASE_URL=postgresql://a/b'])(
    'refuses the line end of Windows after %s, and does not print it',
    (line) => {
      const [name = '', value] = line.split('=');
      const read = () => readConfig({ [name]: `${value}\r` });
      expect(read).toThrow(
        `${line} ends with a carriage return, as the lines of a file from Windows`,
      );
      expect(read).not.toThrow('\r');
    },
  );

  it('refuses the line end of Windows after a secret, which it does not print', () => {
    const read = () => readConfig({ CLICKHOUSE_USER_SECRET: 'hidden\r' });
    expect(read).toThrow('CLICKHOUSE_USER_SECRET ends with a carriage return');
    expect(read).not.toThrow('hidden');
  });

  it.each([
    ['PORT', '80 ', '80'],
    ['DATA_DIR', ' /srv/data', '/srv/data'],
    ['DATABASE_URL', 'postgresql://a/b\n', 'postgresql://a/b'],
  ])('refuses blanks around %s, which nobody sees', (name, given, shown) => {
    expect(() => readConfig({ [name]: given })).toThrow(
      `${name}=${shown} begins or ends with a blank, which would be part of the value. Accepted: `,
    );
  });

  it('takes blanks around lists and JSON, as YAML has them, and in secrets', () => {
    const origins = 'https://a.example, https://b.example\n';
    expect(readConfig({ CORS_ORIGINS: origins }).corsOrigins).toBe(origins);
    const nodes = { CLICKHOUSE_URL: 'http://u:p@a', CLICKHOUSE_NODES: ' http://a, http://b ' };
    expect(nodeUrls(readConfig(nodes).clickhouseNodes)).toEqual(['http://a', 'http://b']);
    expect(readConfig({ CLICKHOUSE_USER_SECRET: ' a ' }).clickhouseUserSecret).toBe(' a ');
  });

  it.each([
    'app.example',
    'https://app.example/',
    'https://app.example:443',
    'https://App.example',
    'https://a.example,https://b.example/path',
    'https://a b',
  ])('refuses an origin that no browser sends: %s', (given) => {
    expect(() => readConfig({ CORS_ORIGINS: given })).toThrow(
      `CORS_ORIGINS=${given} is not a list of origins as browsers send them`,
    );
  });

  it.each(['*', 'null', 'https://a.example:8443,http://localhost:3000', 'chrome-extension://abcd'])(
    'accepts origins: %s',
    (given) => {
      expect(readConfig({ CORS_ORIGINS: given }).corsOrigins).toBe(given);
    },
  );

  it.each([
    ['LOG_LEVEL', 'loud', 'is not one of silent, fatal, error, warn, info, debug, trace'],
    ['LOG_RUNS', 'some', 'is neither failures nor all'],
    ['GRAPHQL_INTROSPECTION', 'yes', 'is neither true nor false'],
  ])('says in words what %s accepts', (name, given, reason) => {
    expect(() => readConfig({ [name]: given })).toThrow(`${name}=${given} ${reason}. Accepted: `);
  });

  it.each(['~', '~/data'])('refuses a data folder that only a shell would find: %s', (given) => {
    expect(() => readConfig({ DATA_DIR: given })).toThrow(`DATA_DIR=${given} begins with ~`);
  });

  it('shows no password of a wrong URL', () => {
    const read = () => readConfig({ DATABASE_URL: 'mysql://user:hidden@db.example/x' });
    expect(read).toThrow(/DATABASE_URL=mysql:\/\/\*\*\*@db\.example/);
    expect(read).not.toThrow(/hidden/);
  });

  it.each(['hid/den', 'hid@den/', 'hid#d%en', 'hid?den'])(
    'shows nothing of a password that is not encoded: %s',
    (password) => {
      const read = () => readConfig({ REDIS_URL: `redis://:${password}@db.example` });
      expect(read).toThrow(/^REDIS_URL=redis:\/\/\*\*\*@db\.example /);
    },
  );

  it.each([
    ['redis://cache.example/results', 'a path that is not the number of a database'],
    ['redis:6379', 'has no host'],
    ['redis://:50%off@cache.example', 'that is not written as %25'],
  ])('refuses a Redis that the client could not read: %s', (url, message) => {
    expect(() => readConfig({ REDIS_URL: url })).toThrow(message);
  });

  it.each(['redis://a', 'redis://a:6379/', 'rediss://user:50%25off@a:6379/3'])(
    'accepts a Redis: %s',
    (url) => {
      expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
    },
  );

  it.each([
    [
      { MIN_CACHE_AGE_SECONDS: '10', DEFAULT_CACHE_AGE_SECONDS: '5' },
      'MIN_CACHE_AGE_SECONDS is above',
    ],
    [{ DEFAULT_STORED_ROWS: '10', MAX_STORED_ROWS: '5' }, 'DEFAULT_STORED_ROWS is above'],
    [{ GRAPHQL_PERSISTED_ONLY: 'true' }, 'GRAPHQL_PERSISTED_ONLY needs GRAPHQL_PERSISTED_FILE'],
    [{ CLICKHOUSE_CLUSTER: 'main' }, 'CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL'],
    [{ CLICKHOUSE_NODES: 'http://a:8123' }, 'CLICKHOUSE_NODES needs CLICKHOUSE_URL'],
  ])('refuses settings that contradict each other: %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  it('reports a wrong setting once, and other contradictions beside it', () => {
    const read = (env: Readonly<Record<string, string>>) => {
      try {
        readConfig(env);
      } catch (error) {
        return (error as Error).message.split('\n').map((line) => line.split(' ', 3).join(' '));
      }
      return [];
    };
    const nodes = { CLICKHOUSE_NODES: 'http://a:8123' };
    const cache = { MIN_CACHE_AGE_SECONDS: '10', DEFAULT_CACHE_AGE_SECONDS: '5' };
    expect(read({ ...nodes, ...cache, CLICKHOUSE_URL: 'ch1' })).toEqual([
      'CLICKHOUSE_URL=ch1 is not',
      'MIN_CACHE_AGE_SECONDS is above',
    ]);
  });

  it.each(['ch1:8123', 'http://a,', 'tcp://a:9000', 'http://u:secret@a:8123', 'http://a/?x=1'])(
    'refuses %s as nodes, and shows no password',
    (nodes) => {
      const read = () => readConfig({ CLICKHOUSE_URL: 'http://u:p@b', CLICKHOUSE_NODES: nodes });
      expect(read).toThrow(/CLICKHOUSE_NODES=.* is not a list of URLs/);
      expect(read).not.toThrow(/secret/);
    },
  );

  it('reads nodes in their order, each once', () => {
    expect(nodeUrls('http://a:8123, http://b:8123/,http://a:8123')).toEqual([
      'http://a:8123',
      'http://b:8123',
    ]);
  });
});
