-- Browsers that have signed in. `expires_at` is indexed for the job that deletes expired sessions.
CREATE TABLE "sessions" (
    "token_hash" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "credential_version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash")
);

CREATE INDEX "sessions_account_id_created_at_idx" ON "sessions"("account_id", "created_at");

CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
