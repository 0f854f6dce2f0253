-- AlterTable
ALTER TABLE "query_status" ADD COLUMN     "plan" JSONB;
