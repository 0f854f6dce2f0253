-- CreateTable
CREATE TABLE "user" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoint" (
    "id" UUID NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "derived_from_insight" TEXT,
    "created_by_id" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_executed_at" TIMESTAMPTZ(6),
    "current_version_id" UUID,

    CONSTRAINT "endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoint_version" (
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "query" JSONB NOT NULL,
    "columns" JSONB NOT NULL DEFAULT '[]',
    "variables" JSONB NOT NULL DEFAULT '[]',
    "cache_age_seconds" INTEGER,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_by_id" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoint_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "materialization_status" (
    "id" UUID NOT NULL,
    "version_id" UUID NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "sync_frequency" TEXT NOT NULL DEFAULT '24hour',
    "last_materialized_at" TIMESTAMPTZ(6),
    "last_failed_at" TIMESTAMPTZ(6),
    "error" TEXT,
    "next_sync_at" TIMESTAMPTZ(6),
    "row_count" BIGINT,
    "byte_count" BIGINT,

    CONSTRAINT "materialization_status_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_status" (
    "id" UUID NOT NULL,
    "project_id" INTEGER NOT NULL,
    "endpoint_id" UUID,
    "endpoint_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "client_query_id" TEXT,
    "api_key_id" UUID,
    "door" TEXT NOT NULL,
    "served_from" TEXT NOT NULL,
    "start_time" TIMESTAMPTZ(6) NOT NULL,
    "end_time" TIMESTAMPTZ(6),
    "error_code" TEXT,
    "error_message" TEXT,
    "result_rows" BIGINT NOT NULL DEFAULT 0,
    "result_bytes" BIGINT NOT NULL DEFAULT 0,
    "rows_read" BIGINT NOT NULL DEFAULT 0,
    "bytes_read" BIGINT NOT NULL DEFAULT 0,
    "rows_total" BIGINT NOT NULL DEFAULT 0,
    "time_elapsed" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "query_status_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "_ApiKeyProjects" (
    "A" UUID NOT NULL,
    "B" INTEGER NOT NULL,

    CONSTRAINT "_ApiKeyProjects_AB_pkey" PRIMARY KEY ("A","B")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_uuid_key" ON "user"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "project_name_key" ON "project"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_user_id_idx" ON "api_key"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_current_version_id_key" ON "endpoint"("current_version_id");

-- CreateIndex
CREATE INDEX "endpoint_project_id_created_at_id_idx" ON "endpoint"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_project_id_name_key" ON "endpoint"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_version_endpoint_id_version_key" ON "endpoint_version"("endpoint_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "materialization_status_version_id_key" ON "materialization_status"("version_id");

-- CreateIndex
CREATE INDEX "query_status_project_id_start_time_idx" ON "query_status"("project_id", "start_time" DESC);

-- CreateIndex
CREATE INDEX "query_status_endpoint_id_start_time_idx" ON "query_status"("endpoint_id", "start_time" DESC);

-- CreateIndex
CREATE INDEX "query_status_project_id_client_query_id_idx" ON "query_status"("project_id", "client_query_id");

-- CreateIndex
CREATE INDEX "query_status_start_time_idx" ON "query_status" USING BRIN ("start_time");

-- CreateIndex
CREATE INDEX "_ApiKeyProjects_B_index" ON "_ApiKeyProjects"("B");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_current_version_id_fkey" FOREIGN KEY ("current_version_id") REFERENCES "endpoint_version"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_version" ADD CONSTRAINT "endpoint_version_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_version" ADD CONSTRAINT "endpoint_version_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "materialization_status" ADD CONSTRAINT "materialization_status_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "endpoint_version"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_status" ADD CONSTRAINT "query_status_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_status" ADD CONSTRAINT "query_status_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "_ApiKeyProjects" ADD CONSTRAINT "_ApiKeyProjects_A_fkey" FOREIGN KEY ("A") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "_ApiKeyProjects" ADD CONSTRAINT "_ApiKeyProjects_B_fkey" FOREIGN KEY ("B") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Below: what prisma/schema.prisma cannot say. The drift check does not see it; test/store/constraints.test.ts holds it.

-- The contract's rules of an endpoint
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_name_check"
  CHECK ("name" COLLATE "C" ~ '^[a-zA-Z][a-zA-Z0-9_-]{0,127}$' AND "name" <> 'last_execution_times');

-- Room in each page for the many small updates of last_executed_at and last_used_at, so that they touch no index
ALTER TABLE "endpoint" SET (fillfactor = 80);
ALTER TABLE "api_key" SET (fillfactor = 80);

ALTER TABLE "endpoint_version" ADD CONSTRAINT "endpoint_version_version_check" CHECK ("version" >= 1);
ALTER TABLE "endpoint_version" ADD CONSTRAINT "endpoint_version_cache_age_seconds_check"
  CHECK ("cache_age_seconds" BETWEEN 0 AND 86400);

ALTER TABLE "materialization_status" ADD CONSTRAINT "materialization_status_sync_frequency_check"
  CHECK ("sync_frequency" IN ('5min', '15min', '30min', '1hour', '2hour', '4hour', '6hour', '12hour', '24hour', '7day', '30day'));

-- Finds the executions that nobody ended, of which there are few among many
CREATE INDEX "query_status_open_key" ON "query_status" ("start_time") WHERE "end_time" IS NULL;

ALTER TABLE "query_status" ADD CONSTRAINT "query_status_version_check" CHECK ("version" >= 1);
ALTER TABLE "query_status" ADD CONSTRAINT "query_status_door_check" CHECK ("door" IN ('rest', 'graphql'));
ALTER TABLE "query_status" ADD CONSTRAINT "query_status_served_from_check" CHECK ("served_from" IN ('inline', 'materialized'));

ALTER TABLE "api_key" ADD CONSTRAINT "api_key_hash_check" CHECK (octet_length("hash") = 32);
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_scopes_check"
  CHECK ("scopes" IS NOT NULL AND cardinality("scopes") > 0 AND "scopes" <@ ARRAY['endpoint:read', 'endpoint:write', 'admin']);
