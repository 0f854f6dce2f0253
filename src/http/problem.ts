/** Errors as problem details, for callers that accept them. Source: RFC 9457. */
import { errorTitles } from '../errors/error-titles.ts';
import {
  type ErrorCode,
  errorStatus,
  type ServiceError,
  toErrorBody,
} from '../errors/service-error.ts';
import { acceptanceOf, readAccept } from './accept.ts';

export const problemType = 'application/problem+json';

/** Path of a code's description, below the service's URL. */
export const errorPagePath = '/api/errors/';

/** Whether the header names problem details, and prefers no other error format to them. */
export function requestsProblem(accept: string | null): boolean {
  if (accept === null || !accept.toLowerCase().includes(problemType)) return false;
  const ranges = readAccept(accept);
  const problem = acceptanceOf(problemType, ranges);
  const json = acceptanceOf('application/json', ranges);
  if (problem === null || problem.closeness < 2 || problem.quality === 0) return false;
  return json === null || problem.quality >= json.quality;
}

/** The members of the documented body, with `type` as the URL of a page about the code. */
export function toProblem(error: ServiceError, publicUrl: string): Buffer {
  const { code, detail, attr, type: _type, ...extra } = toErrorBody(error);
  const { status } = error;
  const type = `${publicUrl}${errorPagePath}${code}`;
  return Buffer.from(
    JSON.stringify({ type, title: errorTitles[code], status, detail, code, attr, ...extra }),
  );
}

/** The page about a code. */
export function describeError(code: ErrorCode): string {
  return `${code} (status ${errorStatus[code]})\n${errorTitles[code]}.\n`;
}
