/** Which format an `Accept` header requests. Source: RFC 9110, 12.5.1. */
import { ServiceError } from '../errors/service-error.ts';
import { acceptanceOf, readAccept } from '../http/accept.ts';
import { problemType } from '../http/problem.ts';
import { mediaTypes, type ResultFormat, resultFormats } from '../model/result-format.ts';

/** Whether the header names event streams, and no format of a single result with the same quality. */
export function requestsEvents(header: string | null): boolean {
  if (header === null) return false;
  const ranges = readAccept(header);
  const events = acceptanceOf('text/event-stream', ranges);
  if (events === null || events.quality === 0 || events.closeness < 2) return false;
  return resultFormats.every((format) => {
    const match = acceptanceOf(mediaTypes[format], ranges);
    if (match === null || match.quality < events.quality) return true;
    return match.quality === events.quality && match.closeness < events.closeness;
  });
}

/**
 * The format with the highest quality. On a tie an exact type wins over a wildcard, then the documented order decides,
 * JSON first. Throws `not_acceptable` when none fits.
 */
export function formatOfAccept(header: string | null): ResultFormat {
  if (header === null || header.trim() === '') return 'json';
  const all = readAccept(header);
  // Problem details apply only to errors, so they do not select a format.
  const ranges = all.filter(({ type, subtype }) => `${type}/${subtype}` !== problemType);
  if (ranges.length === 0 && all.length > 0) return 'json';
  let best: { format: ResultFormat; quality: number; closeness: number } | null = null;
  for (const format of resultFormats) {
    const match = acceptanceOf(mediaTypes[format], ranges);
    if (match === null || match.quality === 0) continue;
    const isBetter =
      best === null ||
      match.quality > best.quality ||
      (match.quality === best.quality && match.closeness > best.closeness);
    if (isBetter) best = { format, ...match };
  }
  if (best !== null) return best.format;
  const offered = Object.values(mediaTypes).join(', ');
  const events = acceptanceOf('text/event-stream', ranges)?.quality ?? 0;
  const hint = events > 0 ? ' Runs of endpoints are available as text/event-stream by GET.' : '';
  throw new ServiceError(
    'not_acceptable',
    `None of the media types in Accept is available. The result of a run is available as ${offered}.${hint}`,
  );
}
