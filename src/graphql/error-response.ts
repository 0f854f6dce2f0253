import { type ServiceError, toErrorBody } from '../errors/service-error.ts';
import { errorHeaders } from '../http/error-response.ts';
import { type HttpResponse, textResponse } from '../http/message.ts';
import { currentFacts } from '../http/request-facts.ts';

/** The response to a request that is refused before its document is read. */
export function graphqlErrorResponse(error: ServiceError): HttpResponse {
  const { detail, ...extensions } = toErrorBody(error);
  const body = JSON.stringify({ errors: [{ message: detail, extensions }] });
  const facts = currentFacts();
  if (facts !== null) facts.codes = [error.code];
  const response = textResponse(error.status, 'application/json', body);
  const notStored = { 'cache-control': 'no-store' } as const;
  return { ...response, headers: { ...response.headers, ...notStored, ...errorHeaders(error) } };
}
