-- Keys that load rows into tables. Every existing row satisfies the wider check.
ALTER TABLE "api_key" DROP CONSTRAINT "api_key_scopes_check";
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_scopes_check"
  CHECK ("scopes" IS NOT NULL AND cardinality("scopes") > 0 AND "scopes" <@ ARRAY['endpoint:read', 'endpoint:write', 'data:write', 'admin']);
