-- Finds a received message by the part of its id that a SID of Twilio's interface contains.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "inbox_sid_idx" ON "inbox"("account_id", (left("id", 21)));
