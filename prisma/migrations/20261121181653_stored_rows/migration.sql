-- AlterTable
ALTER TABLE "materialization_status" ADD COLUMN     "max_rows" INTEGER;

-- Below: what prisma/schema.prisma cannot say.
ALTER TABLE "materialization_status" ADD CONSTRAINT "materialization_status_max_rows_check"
  CHECK ("max_rows" >= 1);
