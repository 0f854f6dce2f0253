import { expect, it } from 'vitest';
import { redactKeys } from '../../src/errors/redact-keys.ts';
import { newApiKey } from '../../src/model/new-api-key.ts';

it('is always one that is recognised without its prefix', () => {
  const draws = [
    'sXTLTOjTfuPAeaUDL-cRyAdAmwqPZGelpezfB-BzDsM',
    'sxtltojtfup1eaudl-cryadamwqpzgelpezfb-bzdsm',
    'sXTLTOjTfuPAeaUDL-cRyAdAmwqPZGelpezfB-Bz1sM',
  ];
  const left = [...draws];
  const key = newApiKey(() => Buffer.from(left.shift() ?? '', 'base64url'));
  expect(key).toBe(`qdk_${draws[2]}`);
  expect(redactKeys(`x-request-id: ${key.slice(4)}`)).toBe('x-request-id: …');
});
