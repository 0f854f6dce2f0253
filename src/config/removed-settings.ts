/** Settings of earlier versions: starting with one of them fails with a message that names the replacement. */
const perKey = 'RATE_PER_KEY limits all requests of a key, including runs.';
const perProject = 'RATE_PER_PROJECT limits all requests of a project, including runs.';

/** Name → replacement. */
export const removedSettings: Readonly<Record<string, string>> = {
  RATE_CACHED_PER_KEY: perKey,
  RATE_MATERIALIZED_PER_KEY: perKey,
  RATE_INLINE_PER_KEY: perKey,
  RATE_MANAGEMENT_PER_KEY: perKey,
  RATE_CACHED_PER_PROJECT: perProject,
  RATE_MATERIALIZED_PER_PROJECT: perProject,
  RATE_INLINE_PER_PROJECT: perProject,
  RATE_MANAGEMENT_PER_PROJECT: perProject,
};
