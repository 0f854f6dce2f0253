import { compress, encodingFor } from './compress.ts';
import type { WholeResponse } from './message.ts';
import { lengthOf } from './response-body.ts';

/** The response in the caller's preferred encoding, unchanged for identity. For bodies that are not cached. */
export async function compressResponse(
  response: WholeResponse,
  acceptEncoding: string | null,
): Promise<WholeResponse> {
  const { headers, body } = response;
  const vary = [headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ');
  const encoding = encodingFor(lengthOf(body), acceptEncoding);
  if (encoding === null) return { ...response, headers: { ...headers, vary } };
  return {
    ...response,
    headers: { ...headers, vary, 'content-encoding': encoding },
    body: [await compress(Buffer.concat(body), encoding)],
  };
}
