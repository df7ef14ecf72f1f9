-- Written since 0.1.0-pre.1: `id` alone is unique, so this restricts nothing. It becomes the primary key of the first partition.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "logs_initial_pkey" ON "logs"("id", "created_at");
