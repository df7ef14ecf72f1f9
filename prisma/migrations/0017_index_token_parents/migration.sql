-- Finds the tokens issued by a token, when that one is revoked.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "token_families_parent_id_idx" ON "token_families"("parent_id");
