/** What values of variables must satisfy beyond their types, and the time zones of the engine. */
import { invalidInput } from '../../../../errors/service-error.ts';
import { loadOnce } from '../../../../lib/load-once.ts';
import type { EngineParams } from '../../../query-engine.ts';
import { asService } from '../../errors/translate-error.ts';
import type { EngineConnection } from '../../http/connection.ts';
import type { EngineClient } from '../../http/http-client.ts';
import type { Settings } from '../../http/request-message.ts';
import { type TimeZones, whyNotZone } from './types.ts';

/** Read once per engine. Rejects with a ServiceError when the engine is unavailable; the next call tries again. */
export function openTimeZones(
  client: EngineClient,
  connection: EngineConnection,
): () => Promise<TimeZones> {
  return loadOnce(async () => {
    const response = client.send({
      login: connection.admin,
      sql: 'SELECT time_zone FROM system.time_zones FORMAT TSV',
      timeoutMs: 60_000,
      repeatable: true,
    });
    const { body } = await asService(response);
    return new Set(body.toString('utf8').trim().split('\n'));
  });
}

/** What each run of a text has to satisfy. */
export interface VariableRules {
  /** Variables whose value must be the name of a time zone. */
  readonly zones: readonly string[];
  /** Maximum bytes of variables that are passed to a function that cannot be stopped within one row. */
  readonly short: ReadonlyMap<string, number>;
  /** Rows per block; null for the engine's default. */
  readonly blockRows: number | null;
}

/** Settings of a run that its rules require. */
export function blockSettings({ blockRows }: VariableRules): Settings {
  if (blockRows === null) return {};
  return { max_block_size: String(blockRows), max_joined_block_size_rows: String(blockRows) };
}

/** @throws ServiceError `invalid_input` naming the first variable whose value is not accepted in its position. */
export function requireValues(rules: VariableRules, params: EngineParams, zones: TimeZones): void {
  for (const name of rules.zones) {
    const value = params[name];
    if (value === undefined || zones.has(value)) continue;
    throw invalidInput(
      `variables.${name}`,
      `The variable ${name} must be the name of a time zone: ${whyNotZone(value)}.`,
    );
  }
  for (const [name, bytes] of rules.short) {
    if (Buffer.byteLength(params[name] ?? '') <= bytes) continue;
    throw invalidInput(
      `variables.${name}`,
      `The variable ${name} is compared character by character; it may have at most ${bytes} bytes.`,
    );
  }
}
