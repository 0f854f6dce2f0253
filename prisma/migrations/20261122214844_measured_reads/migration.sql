-- AlterTable
ALTER TABLE "materialization_status" ADD COLUMN     "inline_ms" DOUBLE PRECISION,
ADD COLUMN     "read_ms" DOUBLE PRECISION;
