-- CreateTable
CREATE TABLE "node_table" (
    "project_id" INTEGER NOT NULL,
    "table_name" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "change_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "is_missed" BOOLEAN NOT NULL,
    "staging" UUID,
    "claimed_until" TIMESTAMPTZ(6),

    CONSTRAINT "node_table_pkey" PRIMARY KEY ("project_id","table_name","node")
);

-- AddForeignKey
ALTER TABLE "node_table" ADD CONSTRAINT "node_table_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Below: what prisma/schema.prisma cannot say.
ALTER TABLE "node_table" ADD CONSTRAINT "node_table_kind_check" CHECK ("kind" IN ('replace', 'append', 'drop'));
ALTER TABLE "node_table" ADD CONSTRAINT "node_table_claimed_check" CHECK ("is_missed" OR "claimed_until" IS NOT NULL);
