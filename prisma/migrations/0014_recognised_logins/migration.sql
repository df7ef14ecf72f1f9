-- Logins that are recognised through a flood of wrong ones.
CREATE TABLE "recognised_logins" (
    "login_hash" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "credential_version" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "recognised_logins_pkey" PRIMARY KEY ("login_hash")
);

CREATE INDEX "recognised_logins_account_id_seen_at_idx" ON "recognised_logins"("account_id", "seen_at");

CREATE INDEX "recognised_logins_seen_at_idx" ON "recognised_logins"("seen_at");

ALTER TABLE "recognised_logins" ADD CONSTRAINT "recognised_logins_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
