import type { ServiceError } from '../errors/service-error.ts';
import type { Content, SourceListener } from './source.ts';

export class Listeners<C extends Content> {
  readonly #all = new Set<SourceListener<C>>();
  #lastFailure: string | null = null;

  add(listener: SourceListener<C>): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** The source was read successfully, whether or not the content changed. */
  hearSuccess(): void {
    this.#lastFailure = null;
  }

  hearContent(content: C): void {
    for (const listener of this.#all) listener.onContent(content);
  }

  /** Not repeated while the error code stays the same. */
  hearFailure(error: ServiceError): void {
    if (this.#lastFailure === error.code) return;
    this.#lastFailure = error.code;
    for (const listener of this.#all) listener.onFailure(error);
  }

  hearEnd(error: ServiceError | null): void {
    for (const listener of [...this.#all]) listener.onEnd(error);
  }
}
