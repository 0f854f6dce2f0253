import { expect, it } from 'vitest';
import { requestIdOf } from '../../src/http/request-id.ts';

it('repeats a harmless id of the caller', () => {
  expect(requestIdOf('trace-1.2_3')).toBe('trace-1.2_3');
});

it.each([null, '', 'a b', 'x'.repeat(101), 'id\r\nset-cookie: a=b', `qdk_${'A'.repeat(43)}`])(
  'makes an id of its own in place of %j',
  (header) => {
    const id = requestIdOf(header);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(id).not.toBe(header);
  },
);

it('makes ids that never repeat', () => {
  const ids = Array.from({ length: 1000 }, () => requestIdOf(null));
  expect(new Set(ids).size).toBe(1000);
});
