-- CreateTable
CREATE TABLE "project_binding" (
    "project_id" INTEGER NOT NULL,
    "databases" TEXT[],
    "stored" TEXT,
    "dictionaries" TEXT[],
    "url" TEXT NOT NULL,
    "users" BYTEA NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changed_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "project_binding_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "project_binding_url_stored_key" ON "project_binding"("url", "stored");

-- AddForeignKey
ALTER TABLE "project_binding" ADD CONSTRAINT "project_binding_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Below: what prisma/schema.prisma cannot say.
ALTER TABLE "project_binding" ADD CONSTRAINT "project_binding_databases_check" CHECK (cardinality("databases") > 0 AND NOT "stored" = ANY ("databases"));
