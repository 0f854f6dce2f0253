import { IncomingMessage } from 'node:http';

/** Receives the next bytes of a body; null at its end. Returns whether more may follow at once. */
export type TakeBody = (chunk: Buffer | null) => boolean;

/**
 * A request whose body can be read directly from the parser, bypassing the stream, which costs more for a small body
 * than the rest of the request.
 */
export class RawIncoming extends IncomingMessage {
  #take: TakeBody | null = null;

  /** Call it before anything is read; null reads the rest as a stream. */
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

  /** Ends the stream as Node does for a request without a body. */
  #end(): void {
    const { _dumpAndCloseReadable: close } = this as Closable;
    if (close === undefined) super.push(null);
    else close.call(this);
  }
}

interface Closable {
  readonly _dumpAndCloseReadable?: () => void;
}
