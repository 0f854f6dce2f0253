/** What authors may write instead of an aggregate. */

/** States can only be merged by the aggregate that made them. */
export function mendOfStates(base: string): string {
  const plural = base.startsWith('quantiles') ? 'quantilesExactState' : 'quantileExactState';
  if (/^(quantile|median)/.test(base)) return `let its table store states made by ${plural}`;
  if (/^(any|first_value|last_value)/.test(base))
    return 'let its table store states made by minState, maxState, argMinState or argMaxState';
  return 'group by the stored key, or let its table store values';
}

/** Without the accuracy that `quantileGK` takes first. */
export function levelsOf(base: string, params: string): string {
  if (params === '') return '0.5';
  return base.endsWith('GK') ? params.slice(params.indexOf(',') + 1).trim() : params;
}
