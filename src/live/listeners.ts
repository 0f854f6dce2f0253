import type { ServiceError } from '../errors/service-error.ts';
import type { Content, SourceListener } from './source.ts';

/** Who is told of a source. */
export class Listeners<C extends Content> {
  readonly #all = new Set<SourceListener<C>>();
  #lastFailure: string | null = null;

  add(listener: SourceListener<C>): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** It could be read, whether or not the content is another one. */
  hearSuccess(): void {
    this.#lastFailure = null;
  }

  hearContent(content: C): void {
    for (const listener of this.#all) listener.onContent(content);
  }

  /** Left out while the code stays the same. */
  hearFailure(error: ServiceError): void {
    if (this.#lastFailure === error.code) return;
    this.#lastFailure = error.code;
    for (const listener of this.#all) listener.onFailure(error);
  }

  hearEnd(error: ServiceError | null): void {
    for (const listener of [...this.#all]) listener.onEnd(error);
  }
}
