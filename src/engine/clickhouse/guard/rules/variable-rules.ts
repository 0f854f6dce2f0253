/** The time zones that the engine has, and what values of variables have to be beyond their types. */
import { invalidInput } from '../../../../errors/service-error.ts';
import type { EngineParams } from '../../../query-engine.ts';
import { translateError } from '../../errors/translate-error.ts';
import type { EngineConnection } from '../../http/connection.ts';
import type { EngineClient } from '../../http/http-client.ts';
import { type TimeZones, whyNotZone } from './types.ts';

/** Asked once per engine. Rejects with a ServiceError when the engine cannot answer; the next call asks again. */
export function openTimeZones(
  client: EngineClient,
  connection: EngineConnection,
): () => Promise<TimeZones> {
  let known: Promise<TimeZones> | null = null;
  return () => {
    known ??= readZones(client, connection).catch((error: unknown) => {
      known = null;
      throw translateError(error, { fault: 'query_failed', projectId: 0 });
    });
    return known;
  };
}

async function readZones(client: EngineClient, connection: EngineConnection): Promise<TimeZones> {
  const { body } = await client.send({
    login: connection.admin,
    sql: 'SELECT time_zone FROM system.time_zones FORMAT TSV',
    timeoutMs: 60_000,
    repeatable: true,
  });
  return new Set(body.toString('utf8').trim().split('\n'));
}

/** What a run of a text has to keep to. */
export interface VariableRules {
  /** Names of time zones. */
  readonly zones: readonly string[];
  /** At most so many bytes: a function that takes them cannot be stopped while it works on one row. */
  readonly short: ReadonlyMap<string, number>;
  /** Rows that the engine may work on at once; null: as many as it takes by itself. */
  readonly blockRows: number | null;
}

/** Settings of a run by its rules; a user that an operator made may take none. */
export function blockSettings({ blockRows }: VariableRules): Readonly<Record<string, string>> {
  if (blockRows === null) return {};
  return { max_block_size: String(blockRows), max_joined_block_size_rows: String(blockRows) };
}

export function hasRules({ zones, short }: VariableRules): boolean {
  return zones.length > 0 || short.size > 0;
}

/** @throws ServiceError `invalid_input` naming the first variable whose value is none that its place takes. */
export function requireValues(rules: VariableRules, params: EngineParams, zones: TimeZones): void {
  for (const name of rules.zones) {
    const value = params[name];
    if (value === undefined || zones.has(value)) continue;
    throw invalidInput(
      `variables.${name}`,
      `The variable ${name} is the name of a time zone: ${whyNotZone(value)}.`,
    );
  }
  for (const [name, bytes] of rules.short) {
    if (Buffer.byteLength(params[name] ?? '') <= bytes) continue;
    throw invalidInput(
      `variables.${name}`,
      `The variable ${name} is compared character by character; it takes at most ${bytes} bytes.`,
    );
  }
}
