/**
 * Keeps a server's shared settings profiles in line with the service's limits, so that changed limits reach existing
 * users.
 */
import type { Log } from '../../../lib/log.ts';
import { isOwnedByOperator } from '../errors/engine-error.ts';
import type { EngineNode } from '../http/engine-nodes.ts';
import { asAdmin, readRows, type Session } from '../http/session.ts';
import type { ProjectRole, UserSetting } from './project-users.ts';
import {
  roleSettings,
  sharedProfiles,
  sharedProfilesSql,
  type UserRules,
} from './provision-sql.ts';

/** A row of `system.settings_profile_elements`: the setting, its range, and whether a query may change it. */
type Element = readonly [
  profile: string,
  setting: string,
  value: string | null,
  min: string | null,
  max: string | null,
  writability: string | null,
];

const elementsSql = `SELECT profile_name, setting_name, value, min, max, toString(writability)
FROM system.settings_profile_elements WHERE profile_name IN ('${sharedProfiles.reader}', '${sharedProfiles.writer}')`;

export interface SharedProfiles {
  /**
   * Replaces the profiles where they differ from the service's limits, once per process and node, and warns where that
   * is not allowed. Two services with different limits on one server overwrite each other at startup.
   */
  renew(): Promise<void>;
}

export function openSharedProfiles(
  session: Session,
  rules: () => Promise<UserRules>,
  log: Log,
): SharedProfiles {
  const renewed = new Map<EngineNode | null, Promise<void>>();
  return {
    renew() {
      const node = session.client.nodes?.chosen() ?? null;
      const before = renewed.get(node);
      if (before !== undefined) return before;
      const work = renewOnce(session, rules, log).catch((error: unknown) => {
        renewed.delete(node);
        throw error;
      });
      renewed.set(node, work);
      return work;
    },
  };
}

async function renewOnce(
  session: Session,
  findRules: () => Promise<UserRules>,
  log: Log,
): Promise<void> {
  const profiles = Object.values(sharedProfiles);
  try {
    const rules = await findRules();
    const found = readRows(await asAdmin(session, { sql: elementsSql }));
    if (isCurrent(found, rules)) return;
    for (const sql of sharedProfilesSql(rules)) await asAdmin(session, { sql });
    log.info({ profiles }, 'the limits of all projects’ engine users were updated to the settings');
  } catch (error) {
    if (!isOwnedByOperator(error)) throw error;
    const reason = error.message.slice(0, 300);
    log.warn(
      { profiles, reason },
      'the limits of the projects’ engine users could not be updated to the settings',
    );
  }
}

function isCurrent(found: readonly (readonly unknown[])[], rules: UserRules): boolean {
  const wanted = (Object.keys(sharedProfiles) as ProjectRole[]).flatMap((role) =>
    roleSettings(role, rules).map((setting) => toElement(sharedProfiles[role], setting)),
  );
  const texts = new Set(found.map((element) => JSON.stringify(element)));
  return texts.size === wanted.length && wanted.every((each) => texts.has(JSON.stringify(each)));
}

function toElement(profile: string, { name, value, change }: UserSetting): Element {
  const text = value === null ? null : String(value);
  if (change === 'fixed') return [profile, name, text, null, null, 'CONST'];
  if (change === 'free') return [profile, name, text, null, null, 'CHANGEABLE_IN_READONLY'];
  const { min, max } = change;
  return [profile, name, text, String(min), String(max), 'CHANGEABLE_IN_READONLY'];
}
