/** What a setting is made of. */
import { z } from 'zod';

export interface Setting<T> {
  readonly env: string;
  readonly unit: string;
  readonly default: T;
  readonly why: string;
  readonly parse: z.ZodType<T>;
}

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `is below ${min}`).max(max, `is above ${max}`));

export function setting<T>(
  env: string,
  unit: string,
  defaultValue: T,
  parse: z.ZodType<T, string>,
  why: string,
): Setting<T> {
  return { env, unit, default: defaultValue, why, parse: parse as z.ZodType<T> };
}
