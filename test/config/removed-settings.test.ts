import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, settings } from '../../src/config/config.ts';
import { removedSettings } from '../../src/config/removed-settings.ts';

const current = Object.values(settings).map(({ env }) => env);

describe('a setting of an earlier version', () => {
  it.each(Object.keys(removedSettings))('%s stops the start and names what replaces it', (name) => {
    expect(current).not.toContain(name);
    const start = () => readConfig({ [name]: '5' });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(`${name} is no longer a setting.`);
    expect(start).toThrow(new RegExp(`\\. (${current.join('|')}) `));
  });

  it('is nothing when it is empty', () => {
    expect(readConfig({ RATE_INLINE_PER_KEY: '' })).toEqual(readConfig({}));
  });
});
