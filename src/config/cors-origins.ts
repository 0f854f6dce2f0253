import { z } from 'zod';
import { type Setting, setting } from './setting.ts';

/** The origins of a list, without the blanks around them. */
export function originsOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
}

/**
 * As a browser sends it, to which it is compared. Schemes other than these, such as those of extensions and apps, have
 * no origin of their own for `URL`.
 */
function isOrigin(text: string): boolean {
  if (text === 'null') return true;
  const url = URL.parse(text);
  if (url === null) return false;
  if (/^https?:$/.test(url.protocol)) return url.origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text);
}

export const corsOrigins: Setting<string> = {
  ...setting<string>(
    'CORS_ORIGINS',
    'comma-separated origins, or *',
    '',
    z
      .string()
      .refine(
        (value) => originsOf(value).every((text) => text === '*' || isOrigin(text)),
        'is not a list of origins as browsers send them, such as https://app.example: lower case, no path, not even /, no default port',
      ),
    'Browser origins that may call the service. Empty allows only its own.',
  ),
  mayHaveBlanks: true,
};
