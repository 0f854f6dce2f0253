import { CLAIM_MS } from '../../../../model/node-journal.ts';
import { unavailable } from '../../errors/failures.ts';

export interface Claim {
  /** @throws ServiceError `engine_unavailable` when another process may have taken over. */
  require(): void;
  release(): void;
}

const RENEW_MS = 10_000;
/** Safety margin for statements that are sent before the claim expires. */
const MARGIN_MS = 15_000;

/** Renews a claim until it is released; a process that was suspended meanwhile finds that it has lost the claim. */
export function holdClaim(renew: () => Promise<boolean>): Claim {
  let renewedAt = performance.now();
  let isLost = false;
  const timer = setInterval(() => {
    const sentAt = performance.now();
    renew().then(
      (isHeld) => {
        if (isHeld) renewedAt = sentAt;
        else isLost = true;
      },
      () => undefined,
    );
  }, RENEW_MS).unref();
  return {
    require() {
      if (isLost || performance.now() - renewedAt > CLAIM_MS - MARGIN_MS)
        throw unavailable('the claim of a change was lost');
    },
    release: () => clearInterval(timer),
  };
}
