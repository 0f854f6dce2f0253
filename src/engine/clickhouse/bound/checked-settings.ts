/** The settings that a bound project's reader has to accept with a query, and what does not work without them. */
import type { Settings } from '../http/request-message.ts';
import {
  likeSettings,
  nullJoinSettings,
  prewhereSettings,
  type UserLimits,
} from '../provision/project-users.ts';
import { probeSettings } from '../provision/provision.ts';

export interface CheckedSettings {
  readonly right: string;
  readonly settings: Settings;
  readonly without: string;
}

export function checkedSettings(limits: UserLimits): readonly CheckedSettings[] {
  return [
    {
      right: 'limits sent with queries',
      settings: probeSettings(limits),
      without:
        'limits of projects and keys are not enforced by the engine: those of its profile apply',
    },
    {
      right: 'the setting of a JOIN that compares with NULL',
      settings: nullJoinSettings,
      without: 'a JOIN with a condition that is NULL finds rows as if it had none',
    },
    {
      right: 'the setting of PREWHERE',
      settings: prewhereSettings,
      without: 'PREWHERE may take a column that was added with a DEFAULT for 0 or an empty text',
    },
    {
      right: 'the setting of LIKE with a backslash',
      settings: likeSettings,
      without: 'LIKE with a backslash after % may find other texts',
    },
  ];
}
