-- CreateTable
CREATE TABLE "data_graph" (
    "project_id" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "data_graph_pkey" PRIMARY KEY ("project_id")
);

-- AddForeignKey
ALTER TABLE "data_graph" ADD CONSTRAINT "data_graph_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Below: what prisma/schema.prisma cannot say. Whatever changes a field of a data graph raises its revision, also a process of an older
-- version, which goes on during an upgrade. At the end of the transaction, so that others hardly wait for it.
CREATE FUNCTION "raise_graph_revision"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  changed JSONB := to_jsonb(CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END);
BEGIN
  -- The project of a version is that of its endpoint; one that is deleted has its own trigger.
  INSERT INTO "data_graph" ("project_id")
  SELECT p."id" FROM "project" p WHERE p."id" = coalesce(
    (changed->>'project_id')::integer,
    (SELECT e."project_id" FROM "endpoint" e WHERE e."id" = (changed->>'endpoint_id')::uuid))
  ON CONFLICT ("project_id") DO UPDATE SET "revision" = "data_graph"."revision" + 1;
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER "endpoint_graph_revision"
  AFTER INSERT OR DELETE OR UPDATE OF "name", "graphql_name", "is_active", "current_version_id" ON "endpoint"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_graph_revision"();

CREATE CONSTRAINT TRIGGER "endpoint_version_graph_revision"
  AFTER INSERT OR DELETE OR UPDATE OF "version", "description", "query", "columns", "columns_revision", "variables", "is_active" ON "endpoint_version"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_graph_revision"();
