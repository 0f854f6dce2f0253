/** What answers must be, so that no case is fast by being wrong. */
import type { Answer, LoadCase } from './socket-load.ts';

export type Check = LoadCase['check'];

export const has =
  (...parts: readonly string[]): Check =>
  (answer: Answer) => {
    const missing = parts.filter((part) => !answer.body.includes(part));
    if (answer.status === 200 && missing.length === 0) return;
    const start = answer.body.toString('utf8', 0, 500);
    throw new Error(`answered ${answer.status} without ${missing.join(' and ')}: ${start}`);
  };

export const isNotModified: Check = ({ status, body }) => {
  if (status !== 304 || body.length > 0) throw new Error(`answered ${status} and not 304`);
};
