-- Notifications for browsers. Older releases leave the new columns empty and store no notifications.
-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "offline_push_epoch" BIGINT;

-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "push_private_sealed" TEXT,
ADD COLUMN     "push_public_key" TEXT;

-- CreateTable
CREATE TABLE "push_subscriptions" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "endpoint_hash" TEXT NOT NULL,
    "endpoint_sealed" TEXT NOT NULL,
    "service" TEXT NOT NULL,
    "p256dh" TEXT NOT NULL,
    "auth_sealed" TEXT NOT NULL,
    "events" TEXT[],
    "shows_text" BOOLEAN NOT NULL,
    "language" TEXT NOT NULL,
    "name" TEXT,
    "credential_version" INTEGER,
    "session_hash" TEXT,
    "family_id" TEXT,
    "key_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_notifications" (
    "key" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "about" TEXT NOT NULL,
    "text" TEXT,
    "subject_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "push_notifications_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "push_subscriptions_endpoint_hash_idx" ON "push_subscriptions"("endpoint_hash");

-- CreateIndex
CREATE INDEX "push_subscriptions_session_hash_idx" ON "push_subscriptions"("session_hash");

-- CreateIndex
CREATE INDEX "push_subscriptions_family_id_idx" ON "push_subscriptions"("family_id");

-- CreateIndex
CREATE INDEX "push_subscriptions_key_id_idx" ON "push_subscriptions"("key_id");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscriptions_account_id_endpoint_hash_key" ON "push_subscriptions"("account_id", "endpoint_hash");

-- CreateIndex
CREATE INDEX "push_notifications_next_attempt_at_idx" ON "push_notifications"("next_attempt_at");

-- CreateIndex
CREATE INDEX "push_notifications_account_id_idx" ON "push_notifications"("account_id");

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_session_hash_fkey" FOREIGN KEY ("session_hash") REFERENCES "sessions"("token_hash") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
