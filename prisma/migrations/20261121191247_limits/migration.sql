-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "limits" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "project" ADD COLUMN     "limits" JSONB NOT NULL DEFAULT '{}';

-- Below: what prisma/schema.prisma cannot say.
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_limits_check" CHECK (jsonb_typeof("limits") = 'object');
ALTER TABLE "project" ADD CONSTRAINT "project_limits_check" CHECK (jsonb_typeof("limits") = 'object');
