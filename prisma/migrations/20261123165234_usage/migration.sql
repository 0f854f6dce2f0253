-- CreateTable
CREATE TABLE "usage_count" (
    "project_id" INTEGER NOT NULL,
    "step" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "endpoint_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "interface" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "runs" BIGINT NOT NULL,
    "rows" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "executions" BIGINT NOT NULL,
    "rows_read" BIGINT NOT NULL,
    "bytes_read" BIGINT NOT NULL,
    "engine_micros" BIGINT NOT NULL,
    "latency_micros" BIGINT NOT NULL,
    "recomputed" BIGINT NOT NULL,
    "unchanged" BIGINT NOT NULL,
    "latency_buckets" SMALLINT[],
    "latency_runs" BIGINT[],

    CONSTRAINT "usage_count_pkey" PRIMARY KEY ("project_id","step","at","endpoint_id","version","key_id","interface","path","outcome")
)
-- Rows are added to every few seconds for as long as their step lasts: updates stay within a page.
WITH (fillfactor = 60);

-- CreateTable
CREATE TABLE "usage_writer" (
    "id" UUID NOT NULL,
    "batch" BIGINT NOT NULL,
    "written_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "usage_writer_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "usage_count_endpoint_id_step_at_idx" ON "usage_count"("endpoint_id", "step", "at");

-- CreateIndex
CREATE INDEX "usage_count_step_at_idx" ON "usage_count"("step", "at");

-- CreateIndex
CREATE INDEX "usage_writer_written_at_idx" ON "usage_writer"("written_at");

-- AddForeignKey
ALTER TABLE "usage_count" ADD CONSTRAINT "usage_count_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Below: what prisma/schema.prisma cannot say.
ALTER TABLE "usage_count" ADD CONSTRAINT "usage_count_step_check" CHECK ("step" IN ('minute', 'hour', 'day'));
ALTER TABLE "usage_count" ADD CONSTRAINT "usage_count_latency_check"
  CHECK (coalesce(cardinality("latency_buckets"), 0) = coalesce(cardinality("latency_runs"), 0));
