import { IncomingMessage } from 'node:http';

/** Takes the next bytes of a body; null: that was all. Answers whether more may come at once. */
export type TakeBody = (chunk: Buffer | null) => boolean;

/**
 * A request whose body may be taken as the parser finds it, without the steps of a stream between: for a small body
 * those cost more than the rest of its request.
 */
export class RawIncoming extends IncomingMessage {
  #take: TakeBody | null = null;

  /** Before anything has read of it; null leaves the rest to whoever reads it as a stream. */
  takeBody(take: TakeBody | null): void {
    this.#take = take;
  }

  /** Called by the parser. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const take = this.#take;
    if (take === null) return super.push(chunk, encoding);
    if (chunk === null) this.#end();
    return take(chunk);
  }

  /** There is nothing left to read: what Node does with a request that has no body. */
  #end(): void {
    const { _dumpAndCloseReadable: close } = this as Closable;
    if (close === undefined) super.push(null);
    else close.call(this);
  }
}

interface Closable {
  readonly _dumpAndCloseReadable?: () => void;
}
