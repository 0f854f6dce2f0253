import { ServiceError } from '../errors/service-error.ts';

/** A query fails for a row that it reads, as by a division by zero. Without that row it may succeed. */
export class RowFault extends ServiceError {
  constructor(detail: string, options: { readonly internal: string }) {
    super('query_failed', detail, options);
  }
}
