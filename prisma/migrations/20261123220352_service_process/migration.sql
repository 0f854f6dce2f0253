-- CreateTable
CREATE TABLE "service_process" (
    "id" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(6) NOT NULL,
    "report" JSONB NOT NULL,

    CONSTRAINT "service_process_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "service_process_seen_at_idx" ON "service_process"("seen_at");
