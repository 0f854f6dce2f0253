-- AlterTable
ALTER TABLE "endpoint" ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "saved_variable" (
    "id" UUID NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "code_name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "default_value" JSONB,
    "values" JSONB,
    "created_by_id" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_variable_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "saved_variable_project_id_created_at_id_idx" ON "saved_variable"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "saved_variable_project_id_code_name_key" ON "saved_variable"("project_id", "code_name");

-- AddForeignKey
ALTER TABLE "saved_variable" ADD CONSTRAINT "saved_variable_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_variable" ADD CONSTRAINT "saved_variable_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Below: what prisma/schema.prisma cannot say.
ALTER TABLE "endpoint" ADD CONSTRAINT "endpoint_tags_check"
  CHECK ("tags" IS NOT NULL AND cardinality("tags") <= 20);
ALTER TABLE "saved_variable" ADD CONSTRAINT "saved_variable_type_check"
  CHECK ("type" IN ('String', 'Number', 'Boolean', 'List', 'Date'));
ALTER TABLE "saved_variable" ADD CONSTRAINT "saved_variable_code_name_check"
  CHECK ("code_name" COLLATE "C" ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$');
ALTER TABLE "saved_variable" ADD CONSTRAINT "saved_variable_values_check"
  CHECK (jsonb_typeof("values") = 'array');
