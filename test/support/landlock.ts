/** Whether this kernel lets a process give up what it may reach; the local engine does so wherever it can. */
import { openNative } from '../../src/engine/embedded/child/native.ts';

/** The system call that says which version of Landlock there is. Source: landlock_create_ruleset(2). */
const CREATE_RULESET = 444;
const VERSION = 1;

export const hasLandlock =
  process.platform === 'linux' && openNative().syscall(CREATE_RULESET, 0, 0, VERSION) > 0;
