-- AlterTable
ALTER TABLE "query_status" ADD COLUMN     "format" TEXT NOT NULL DEFAULT 'json';
