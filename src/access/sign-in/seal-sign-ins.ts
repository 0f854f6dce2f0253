/** Encrypts the secrets of all sign-ins anew, so that former encryption keys can be removed. */
import { SealError, type Sealer } from '../../lib/seal.ts';
import type { SignInStore } from '../../store/sign-in-store.ts';
import { openSecrets, sealSecrets } from './sign-in.ts';

export interface SealedSignIns {
  readonly sealed: number;
  /** Those that a process is renewing, or has just renewed: it replaces their secrets itself. */
  readonly busy: number;
}

export async function sealSignInsAgain(
  signIns: SignInStore,
  sealer: Sealer,
): Promise<SealedSignIns> {
  let sealed = 0;
  let busy = 0;
  for (const { id, secrets: former } of await signIns.listSealed()) {
    const opened = openOrNull(sealer, id, former);
    if (opened === null) continue;
    const secrets = sealSecrets(sealer, id, opened);
    if (await signIns.sealAgain({ id, secrets, former })) sealed += 1;
    else busy += 1;
  }
  return { sealed, busy };
}

/** Null for one whose key was removed earlier. It ends when it is next used. */
function openOrNull(sealer: Sealer, id: string, secrets: Uint8Array) {
  try {
    return openSecrets(sealer, id, secrets);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
