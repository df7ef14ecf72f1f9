-- Finds the phone of a token.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "devices_phone_token_hash_idx" ON "devices"("phone_token_hash");
