-- AlterTable
ALTER TABLE "project" ADD COLUMN     "data_revision" INTEGER NOT NULL DEFAULT 0;
