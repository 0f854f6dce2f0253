/** What is sent for the texts that are typed for variables, and how values are shown as texts. */
import { describe, expect, it } from 'vitest';
import { toTypedText, toVariableValue } from '../../src/console/run/variable-values.ts';

describe('a boolean', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['false', false],
    ['False', false],
    [' 0', false],
    ['yes', 'yes'],
    ['TRUE', 'TRUE'],
    ['', ''],
  ])('that is typed as %j is sent as %j', (text, value) => {
    expect(toVariableValue('Bool', text)).toBe(value);
  });

  it('in a list is one too', () => {
    expect(toVariableValue('Array(Bool)', 'True\n1\nyes\nfalse')).toEqual([
      true,
      true,
      'yes',
      false,
    ]);
    expect(toVariableValue('Array(Bool)', toTypedText([1, 0]))).toEqual([true, false]);
  });
});
