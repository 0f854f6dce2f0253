/** Checks of responses, so that no case is fast by being wrong. */
import type { LoadCase, LoadResponse } from './socket-load.ts';

export type Check = LoadCase['check'];

export const has =
  (...parts: readonly string[]): Check =>
  (response: LoadResponse) => {
    const missing = parts.filter((part) => !response.body.includes(part));
    if (response.status === 200 && missing.length === 0) return;
    const start = response.body.toString('utf8', 0, 500);
    throw new Error(`returned ${response.status} without ${missing.join(' and ')}: ${start}`);
  };

export const isNotModified: Check = ({ status, body }) => {
  if (status !== 304 || body.length > 0) throw new Error(`returned ${status} instead of 304`);
};
