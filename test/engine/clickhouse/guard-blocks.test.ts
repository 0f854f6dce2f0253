/** How many rows the engine may work on at once, and dumps that something was written into. */
import { describe, expect, it } from 'vitest';
import { costRules } from '../../../src/engine/clickhouse/guard/rules/variable-costs.ts';
import { readQueryTree } from '../../../src/sql/query-tree.ts';

function windowTree(attributes: string, offset: string): readonly string[] {
  return [
    'QUERY id: 0',
    '  PROJECTION',
    '    LIST id: 1, nodes: 1',
    '      FUNCTION id: 2, function_name: sum, function_type: window',
    '        ARGUMENTS',
    '          LIST id: 3, nodes: 1',
    '            IDENTIFIER id: 4, identifier: x',
    '        WINDOW',
    `          WINDOW id: 5, ${attributes}`,
    '            FRAME BEGIN OFFSET',
    `              ${offset}`,
  ];
}

const blockRows = (lines: readonly string[]) => costRules(readQueryTree(lines) ?? []).blockRows;
const number = (value: number) =>
  `CONSTANT id: 6, constant_value: UInt64_${value}, constant_value_type: UInt32`;
const preceding = 'frame_type: ROWS, frame_begin_type: offset preceding, frame_end_type: current';

describe('rows at once', () => {
  it('are few for a window that goes through many rows for each', () => {
    expect(blockRows(windowTree(preceding, number(1001)))).toBe(512);
    expect(blockRows(windowTree(preceding, 'FUNCTION id: 6, function_name: CAST'))).toBe(512);
    expect(blockRows(windowTree(preceding.replace('ROWS', 'RANGE'), number(1)))).toBe(512);
    const following = preceding.replace('current', 'unbounded following');
    expect(blockRows(windowTree(following, number(1)))).toBe(512);
  });

  it('are left to the engine for a moving average and a running total', () => {
    expect(blockRows(windowTree(preceding, number(6)))).toBeNull();
    const running = preceding.replace('offset preceding', 'unbounded preceding');
    expect(blockRows(windowTree(running, number(1001)))).toBeNull();
  });
});

describe('a dump', () => {
  it('is no tree when a list has another number of nodes than it declares', () => {
    const lines = windowTree(preceding, number(6));
    expect(readQueryTree(lines)).not.toBeNull();
    const more = '            CONSTANT id: 9, x';
    expect(readQueryTree([...lines.slice(0, 7), more, ...lines.slice(7)])).toBeNull();
    expect(readQueryTree([...lines.slice(0, 6), ...lines.slice(7)])).toBeNull();
  });
});
