-- Logins that are recognised during a flood of wrong logins.
CREATE TABLE "recognised_logins" (
    "login_hash" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "credential_version" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "recognised_logins_pkey" PRIMARY KEY ("login_hash")
);

CREATE INDEX "recognised_logins_account_id_seq_idx" ON "recognised_logins"("account_id", "seq");

CREATE INDEX "recognised_logins_seq_idx" ON "recognised_logins"("seq");

ALTER TABLE "recognised_logins" ADD CONSTRAINT "recognised_logins_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
