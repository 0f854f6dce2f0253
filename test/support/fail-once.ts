import type { Pool } from 'pg';

/** As if the metadata database shut down at the next update of the column. Returns what ends that. */
export async function failOnce(
  pool: Pool,
  { table, column }: { readonly table: string; readonly column: string },
): Promise<() => Promise<void>> {
  await pool.query(`
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'shutting down' USING ERRCODE = '57P01'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail_once BEFORE UPDATE OF ${column} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION fail_once()`);
  return async () => {
    await pool.query(
      `DROP TRIGGER fail_once ON ${table}; DROP FUNCTION fail_once; DROP SEQUENCE attempts`,
    );
  };
}
