/** Headers of a request, by names in lower case, whatever holds them. `Headers` is one. */
export interface HeaderReader {
  /** All values of the header, joined by commas; null when it was not sent. */
  get(name: string): string | null;
  has(name: string): boolean;
  entries(): Iterable<[string, string]>;
}
