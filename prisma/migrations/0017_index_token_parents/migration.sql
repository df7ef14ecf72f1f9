-- Finds the tokens that were issued with a token when that token is revoked.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "token_families_parent_id_idx" ON "token_families"("parent_id");
