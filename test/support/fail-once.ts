import type { Pool } from 'pg';

interface Failing {
  readonly table: string;
  /** As in `UPDATE OF name`. */
  readonly event: string;
  /** PostgreSQL's code; absent: as if it shut down. */
  readonly code?: string;
}

/** The metadata database fails at the next such change of a row. Returns what ends that. */
export async function failOnce(
  pool: Pool,
  { table, event, code = '57P01' }: Failing,
): Promise<() => Promise<void>> {
  await pool.query(`
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'it fails once' USING ERRCODE = '${code}'; END IF;
      RETURN COALESCE(NEW, OLD);
    END $$;
    CREATE TRIGGER fail_once BEFORE ${event} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION fail_once()`);
  return async () => {
    await pool.query(
      `DROP TRIGGER fail_once ON ${table}; DROP FUNCTION fail_once; DROP SEQUENCE attempts`,
    );
  };
}
