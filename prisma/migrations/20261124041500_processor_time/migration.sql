-- Columns with a constant default: no row is rewritten.

-- AlterTable
ALTER TABLE "query_status" ADD COLUMN     "processor_micros" BIGINT;

-- AlterTable
ALTER TABLE "usage_count" ADD COLUMN     "measured_executions" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "processor_micros" BIGINT NOT NULL DEFAULT 0;
