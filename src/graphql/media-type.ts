/** Media types of responses. Sources: RFC 9110, 12.5.1; GraphQL over HTTP, which serves two types of JSON. */
import { ServiceError } from '../errors/service-error.ts';
import { acceptanceOf, readAccept } from '../http/accept.ts';
import { problemType } from '../http/problem.ts';

/** On a tie the first wins, unless both are named: then the one that is named first. */
const jsonTypes = ['application/json', 'application/graphql-response+json'] as const;
/** Only for callers that accept no JSON. */
const streamTypes = ['text/event-stream', 'multipart/mixed'] as const;

/** The type that an `Accept` header requests. Throws `not_acceptable` when none fits. */
export function mediaTypeOf(header: string | null): string {
  if (header === null || header.trim() === '') return jsonTypes[0];
  const all = readAccept(header);
  // Problem details apply only to errors, so they do not select a type.
  const ranges = all.filter(({ type, subtype }) => `${type}/${subtype}` !== problemType);
  if (ranges.length === 0 && all.length > 0) return jsonTypes[0];
  const placeOf = (wanted: string) =>
    ranges.findIndex(({ type, subtype }) => `${type}/${subtype}` === wanted);
  const accepted = (types: readonly string[]) =>
    types.flatMap((type) => {
      const { quality = 0, closeness = 0 } = acceptanceOf(type, ranges) ?? {};
      return quality === 0 ? [] : [{ type, quality, closeness, place: placeOf(type) }];
    });
  const [json] = accepted(jsonTypes).sort(
    (a, b) => b.quality - a.quality || b.closeness - a.closeness || a.place - b.place,
  );
  const [stream] = accepted(streamTypes);
  const best = json ?? stream;
  if (best !== undefined) return best.type;
  throw new ServiceError(
    'not_acceptable',
    `None of the media types in Accept is available. GraphQL responds with ${jsonTypes.join(' or ')}.`,
  );
}
