/** Aborted after that time, or with the given signal. */
export function withTimeLimit(ms: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  return signal === undefined ? limit : AbortSignal.any([limit, signal]);
}
