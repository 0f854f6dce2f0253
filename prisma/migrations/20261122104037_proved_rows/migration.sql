-- AlterTable
ALTER TABLE "materialization_status" ADD COLUMN     "proved_rows" BIGINT;
