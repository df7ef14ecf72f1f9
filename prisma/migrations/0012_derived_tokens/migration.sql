-- Tokens issued with a token. Older tokens have no such record, so they count as issued with a password.
ALTER TABLE "token_families" ADD COLUMN     "ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "parent_id" TEXT;

ALTER TABLE "token_families" ADD CONSTRAINT "token_families_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;
