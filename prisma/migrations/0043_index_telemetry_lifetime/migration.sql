-- Finds telemetry to delete. The second column is for rows of older releases, which have no time of deletion.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "telemetry_forget_at_at_idx" ON "telemetry"("forget_at", "at");
