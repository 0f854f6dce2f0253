-- AlterTable
ALTER TABLE "endpoint_version" ADD COLUMN     "columns_revision" INTEGER NOT NULL DEFAULT 0;
