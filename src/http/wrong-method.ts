import { ServiceError } from '../errors/service-error.ts';
import { errorResponse } from './error-response.ts';
import type { WholeResponse } from './message.ts';

/** 405 with `Allow`, or 204 to OPTIONS. Source: RFC 9110, 9.3.7 and 15.5.6. */
export function wrongMethodResponse(method: string, allow: readonly string[]): WholeResponse {
  const accepted = allow.join(', ');
  const headers = { allow: accepted };
  if (method === 'OPTIONS') return { status: 204, headers, body: [] };
  const sentence = `This path accepts ${accepted}.`;
  return errorResponse(new ServiceError('method_not_allowed', sentence), headers);
}
