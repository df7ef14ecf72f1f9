-- Tokens that a token made. Which of the older ones were is not recorded: those stay as they are.
ALTER TABLE "token_families" ADD COLUMN     "ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "parent_id" TEXT;

CREATE INDEX "token_families_parent_id_idx" ON "token_families"("parent_id");

ALTER TABLE "token_families" ADD CONSTRAINT "token_families_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;
