-- AlterTable
ALTER TABLE "endpoint_version" ADD COLUMN     "refused_at" TIMESTAMPTZ(6);
