-- AlterTable
ALTER TABLE "project" ADD COLUMN     "records_values" BOOLEAN NOT NULL DEFAULT false;
