-- AlterTable
ALTER TABLE "query_status" ADD COLUMN     "cache_reason" TEXT,
ADD COLUMN     "inline_reason" TEXT,
ADD COLUMN     "variables" JSONB;
