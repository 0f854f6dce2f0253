-- AlterTable
ALTER TABLE "endpoint" ADD COLUMN     "graphql_name" TEXT;

-- Words in camelCase, as src/data-graph/names.ts makes them of the name of an endpoint.
CREATE FUNCTION "endpoint_camel_case"("name" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(
    CASE WHEN w."place" = 1
      THEN lower(coalesce(c."capitals", left(w."word", 1)) COLLATE "C") || substr(w."word", 1 + coalesce(length(c."capitals"), 1))
      ELSE upper(left(w."word", 1) COLLATE "C") || substr(w."word", 2) END, '' ORDER BY w."place")
  FROM regexp_split_to_table("name" COLLATE "C", '[_-]+') WITH ORDINALITY AS w("word", "place"),
    substring(w."word" COLLATE "C" FROM '^[A-Z]+(?![a-z])') AS c("capitals")
  WHERE w."word" <> ''
$$;

-- Names for the endpoints that there are, the oldest first, and _2, _3 where another of the project has the name. No word has an
-- underscore, so no such name is another's.
WITH numbered AS (
  SELECT w."id", w."wanted", row_number() OVER (PARTITION BY w."project_id", w."wanted" ORDER BY w."created_at", w."id") AS "number"
  FROM (SELECT *, "endpoint_camel_case"("name") AS "wanted" FROM "endpoint") w
)
UPDATE "endpoint" e
SET "graphql_name" = n."wanted" || CASE WHEN n."number" = 1 THEN '' ELSE '_' || n."number" END
FROM numbered n WHERE n."id" = e."id";

ALTER TABLE "endpoint" ALTER COLUMN "graphql_name" SET NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_project_id_graphql_name_key" ON "endpoint"("project_id", "graphql_name");

-- Below: what prisma/schema.prisma cannot say. A name of an author has at most 128 characters; one that is given may be longer by its number.
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_graphql_name_check"
  CHECK ("graphql_name" COLLATE "C" ~ '^[a-z][A-Za-z0-9_]{0,139}$' AND "graphql_name" COLLATE "C" !~ '_v[0-9]+$');

-- A process of an older version, which goes on during an upgrade, creates endpoints without the name. The lock is that of
-- src/store/field-names.ts.
CREATE FUNCTION "endpoint_give_graphql_name"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  wanted TEXT := "endpoint_camel_case"(NEW."name");
  suffix INTEGER := 1;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('field ' || wanted, NEW."project_id"::bigint));
  NEW."graphql_name" := wanted;
  WHILE EXISTS (
    SELECT FROM "endpoint" e WHERE e."project_id" = NEW."project_id" AND e."graphql_name" = NEW."graphql_name"
  ) LOOP
    suffix := suffix + 1;
    NEW."graphql_name" := wanted || '_' || suffix;
  END LOOP;
  RETURN NEW;
END
$$;
CREATE TRIGGER "endpoint_graphql_name" BEFORE INSERT ON "endpoint"
  FOR EACH ROW WHEN (NEW."graphql_name" IS NULL) EXECUTE FUNCTION "endpoint_give_graphql_name"();
