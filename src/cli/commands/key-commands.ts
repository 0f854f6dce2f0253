import type { Command } from 'commander';
import { createKey } from '../../access/create-key.ts';
import { commandLineActor } from '../../model/actor.ts';
import { scopes } from '../../model/scope.ts';
import type { KeyRecord } from '../../store/key-store.ts';
import { collect } from '../collect.ts';
import { print, printJson, printTable } from '../output.ts';
import { parseExpiry } from '../parse-expiry.ts';
import { parseLimitFlags } from '../parse-limits.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';

interface CreateOptions {
  readonly project?: readonly string[];
  readonly scope?: readonly string[];
  readonly label: string;
  readonly expires?: string;
  readonly limit?: readonly string[];
  readonly email: string;
  readonly json?: true;
}

interface ListOptions {
  readonly project?: string;
  readonly json?: true;
}

const defaultScope = 'endpoint:read';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('Create, list and revoke API keys.');
  key
    .command('create')
    .description('Create a key. It is shown only once.')
    .option(
      '--project <id or name>',
      'a project that the key has access to; repeatable; optional if there is only one',
      collect,
    )
    .option(
      '--scope <scope>',
      `scope: ${scopes.join(', ')}; repeatable; default: ${defaultScope}`,
      collect,
    )
    .option('--label <text>', 'what it is for', 'command line')
    .option(
      '--limit <name=number>',
      'limit of the key, below that of its projects; repeatable',
      collect,
    )
    .option(
      '--expires <when>',
      'expiry: a duration (30d, 12h) or a date (2030-01-31); default: never',
    )
    .option(
      '--email <address>',
      'email of the owner; the user is created if unknown',
      'admin@querydock.local',
    )
    .option('--json', 'print one JSON object: id, key')
    .action(create);
  key
    .command('list')
    .description('List keys, newest first, without their secrets.')
    .option('--project <id or name>', 'only keys with access to this project')
    .option('--json', 'print one JSON object: keys')
    .action(list);
  key
    .command('revoke')
    .description('Revoke a key permanently. It takes effect within seconds.')
    .argument('<id>', 'id of the key, as shown by key list')
    .option('--json', 'print one JSON object: id, revoked')
    .action(revoke);
}

async function create(options: CreateOptions): Promise<void> {
  if (!/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(options.email)) {
    throw new UsageError(`"${options.email}" is not an email address.`);
  }
  const { project = [], scope = [defaultScope] } = options;
  await withSession(async (session) => {
    const expiresAt =
      options.expires === undefined ? null : parseExpiry(options.expires, session.clock.now());
    const projectIds: number[] = [];
    for (const given of projectsFor(project, scope)) {
      projectIds.push((await requireProjectOption(session, given)).id);
    }
    const by = commandLineActor;
    const limits = parseLimitFlags(options.limit ?? []);
    const request = { label: options.label, scopes: scope, projectIds, expiresAt, limits, by };
    const issued = await createKey(session, { email: options.email }, request);
    if (options.json) printJson({ id: issued.id, key: issued.key });
    else print(`${issued.key}\n\nStore it now: it is not shown again. Its id is ${issued.id}.`);
  });
}

/** An administrator's key needs no project; any other needs at least one. */
function projectsFor(
  given: readonly string[],
  scope: readonly string[],
): readonly (string | undefined)[] {
  return given.length > 0 || scope.includes('admin') ? given : [undefined];
}

async function list(options: ListOptions): Promise<void> {
  await withSession(async (session) => {
    const projectId =
      options.project === undefined
        ? undefined
        : (await requireProjectOption(session, options.project)).id;
    const keys = await describeKeys(session, await session.keys.listKeys(projectId));
    if (options.json) return printJson({ keys });
    printTable(
      ['ID', 'LABEL', 'KEY', 'OWNER', 'PROJECTS', 'SCOPES', 'LAST USED', 'STATE'],
      keys.map((k) => [
        k.id,
        k.label,
        `${k.prefix}…`,
        k.owner,
        k.project_ids.join(', '),
        k.scopes.join(', '),
        k.last_used_at ?? 'never',
        stateOf(k),
      ]),
      'There is no key yet. Create one: querydock key create --project ID --scope endpoint:read',
    );
  });
}

async function describeKeys({ users, clock }: Session, keys: readonly KeyRecord[]) {
  const ids = [...new Set(keys.map((key) => key.userId))];
  const owners = new Map(
    await Promise.all(
      ids.map(async (id) => [id, (await users.findUser(id))?.email ?? ''] as const),
    ),
  );
  const now = clock.now();
  return keys.map((key) => ({
    id: key.id,
    label: key.label,
    prefix: key.prefix,
    owner: owners.get(key.userId) ?? '',
    project_ids: key.projectIds,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    is_active: key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now),
  }));
}

function stateOf(key: {
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
  readonly is_active: boolean;
}): string {
  if (key.revoked_at !== null) return 'revoked';
  if (!key.is_active) return 'expired';
  return key.expires_at === null ? 'active' : `until ${key.expires_at}`;
}

async function revoke(id: string, options: { readonly json?: true }): Promise<void> {
  await withSession(async ({ keys }) => {
    if (!(await keys.revokeKey(id.toLowerCase(), commandLineActor))) {
      const exists = (await keys.listKeys()).some((key) => key.id === id.toLowerCase());
      throw new UsageError(
        exists
          ? `The key ${id} is already revoked.`
          : `There is no key ${id}. querydock key list shows the ids.`,
      );
    }
    if (options.json) printJson({ id: id.toLowerCase(), revoked: true });
    else print(`Revoked the key ${id}.`);
  });
}
