/** The encrypted engine users of a bound project. */
import { z } from 'zod';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { SealError, type Sealer } from '../lib/seal.ts';
import type { ProjectBinding } from '../model/project-binding.ts';

const user = z.object({
  user: z.string(),
  password: z.string(),
  former: z.array(z.string()).exactOptional(),
});
const usersText = z.object({ reader: user, writer: user.nullable() });

interface Place {
  readonly projectId: number;
  readonly url: string;
}

/** @throws ServiceError `engine_unavailable` without the key. */
export function unsealUsers(
  sealer: Sealer | null,
  place: Place,
  users: Uint8Array,
): z.infer<typeof usersText> {
  try {
    if (sealer === null) throw new SealError('CREDENTIALS_KEY is not set');
    return usersText.parse(JSON.parse(sealer.open(users, contextOf(place))));
  } catch (error) {
    const reason = error instanceof SealError ? error.message : 'they are damaged';
    throw new ServiceError(
      'engine_unavailable',
      'The engine users of this project are not available.',
      {
        cause: error,
        retryAfterSeconds: 60,
        internal: `The users of project ${place.projectId} cannot be decrypted: ${reason}. CREDENTIALS_KEY must contain the key with which they were encrypted.`,
      },
    );
  }
}

/** @throws ServiceError `invalid_input` without a key. */
export function sealUsers(
  sealer: Sealer | null,
  projectId: number,
  { reader, writer, url }: Pick<ProjectBinding, 'reader' | 'writer' | 'url'>,
): Uint8Array<ArrayBuffer> {
  if (sealer === null) {
    throw invalidInput(
      null,
      'CREDENTIALS_KEY is not set, so engine users cannot be encrypted. Set it to 64 hexadecimal digits, for the service and for this command; generate them with openssl rand -hex 32.',
    );
  }
  return new Uint8Array(
    sealer.seal(JSON.stringify({ reader, writer }), contextOf({ projectId, url })),
  );
}

/**
 * The encryption context. It ties the credentials to one project and server, so that copying them into another row does
 * not reveal them.
 */
function contextOf({ projectId, url }: Place): string {
  return `users of project ${projectId} at ${url}`;
}
