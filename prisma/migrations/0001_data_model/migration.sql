-- CreateEnum
CREATE TYPE "message_state" AS ENUM ('Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed');

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "stream_id" TEXT NOT NULL,
    "secret_check" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "credential_version" INTEGER NOT NULL DEFAULT 1,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "signing_key_sealed" TEXT,
    "settings_version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "private_sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "retires_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "token_families" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "token_families_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "jti" TEXT NOT NULL,
    "family_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("jti")
);

-- CreateTable
CREATE TABLE "pairing_codes" (
    "prefix" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "tries_left" INTEGER NOT NULL DEFAULT 5,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "pairing_codes_pkey" PRIMARY KEY ("prefix")
);

-- CreateTable
CREATE TABLE "enrolment_tokens" (
    "token_hash" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "enrolment_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "devices" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "public_key" TEXT,
    "built_in" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "agent_version" TEXT,
    "conn_epoch" BIGINT NOT NULL DEFAULT 0,
    "relay_id" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "journal_id" TEXT,
    "boot_id" TEXT,
    "telemetry" JSONB,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device_journals" (
    "device_id" TEXT NOT NULL,
    "journal_id" TEXT NOT NULL,
    "mark" BIGINT NOT NULL DEFAULT 0,
    "mark_tag" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_journals_pkey" PRIMARY KEY ("device_id","journal_id")
);

-- CreateTable
CREATE TABLE "sim_cards" (
    "device_id" TEXT NOT NULL,
    "sim_number" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "phone_number" TEXT,
    "carrier_name" TEXT,
    "iccid" TEXT,
    "signal" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sim_cards_pkey" PRIMARY KEY ("device_id","sim_number")
);

-- CreateTable
CREATE TABLE "telemetry" (
    "key" BIGSERIAL NOT NULL,
    "device_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "sample" JSONB NOT NULL,

    CONSTRAINT "telemetry_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "device_commands" (
    "cmd_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "command" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "dispatched_journal" TEXT,
    "dispatched_at" TIMESTAMPTZ(3),
    "acknowledged_at" TIMESTAMPTZ(3),
    "answered_at" TIMESTAMPTZ(3),
    "answer" JSONB,

    CONSTRAINT "device_commands_pkey" PRIMARY KEY ("cmd_id")
);

-- CreateTable
CREATE TABLE "messages" (
    "key" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "state" "message_state" NOT NULL DEFAULT 'Pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "processed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "cancelling_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "text" TEXT,
    "data" BYTEA,
    "port" INTEGER,
    "content_hash" TEXT,
    "is_encrypted" BOOLEAN NOT NULL DEFAULT false,
    "sim_number" INTEGER,
    "with_delivery_report" BOOLEAN NOT NULL DEFAULT true,
    "priority" SMALLINT,
    "valid_until" TIMESTAMPTZ(3),
    "schedule_at" TIMESTAMPTZ(3),
    "idempotency_key" TEXT,
    "idempotency_fingerprint" BYTEA,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "recipients" (
    "cmd_id" TEXT NOT NULL,
    "message_key" BIGINT NOT NULL,
    "account_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "position" SMALLINT NOT NULL,
    "phone_number" TEXT NOT NULL,
    "state" "message_state" NOT NULL DEFAULT 'Pending',
    "error" TEXT,
    "error_code" TEXT,
    "priority" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "valid_until" TIMESTAMPTZ(3),
    "used_sim_number" INTEGER,
    "sender_number" TEXT,
    "parts_count" INTEGER,
    "dispatched_journal" TEXT,
    "dispatched_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "cancel_dispatched_at" TIMESTAMPTZ(3),
    "cancel_answered_at" TIMESTAMPTZ(3),
    "processed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),

    CONSTRAINT "recipients_pkey" PRIMARY KEY ("cmd_id")
);

-- CreateTable
CREATE TABLE "parts" (
    "cmd_id" TEXT NOT NULL,
    "index" SMALLINT NOT NULL,
    "reference" INTEGER,
    "result" TEXT NOT NULL,
    "result_code" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "report_status" INTEGER,
    "report_text" TEXT,
    "reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "parts_pkey" PRIMARY KEY ("cmd_id","index")
);

-- CreateTable
CREATE TABLE "inbox" (
    "key" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "recipient" TEXT,
    "sim_number" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "offset_minutes" INTEGER NOT NULL DEFAULT 0,
    "text" TEXT,
    "data" BYTEA,
    "port" INTEGER,
    "mms" JSONB,
    "is_partial" BOOLEAN NOT NULL DEFAULT false,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "key" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "device_id" TEXT,
    "secret_sealed" TEXT NOT NULL,
    "previous_secret_sealed" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "pauses" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "key" BIGSERIAL NOT NULL,
    "id" TEXT NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "account_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leased_by" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "delivery_key" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "address" TEXT,
    "status" INTEGER,
    "error" TEXT,
    "excerpt" TEXT,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_key","number")
);

-- CreateTable
CREATE TABLE "logs" (
    "id" SERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "device_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "module" TEXT NOT NULL,
    "priority" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "context" JSONB,

    CONSTRAINT "logs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_username_key" ON "accounts"("username");

-- CreateIndex
CREATE INDEX "token_families_revoked_at_idx" ON "token_families"("revoked_at");

-- CreateIndex
CREATE INDEX "token_families_expires_at_idx" ON "token_families"("expires_at");

-- CreateIndex
CREATE INDEX "token_families_account_id_created_at_idx" ON "token_families"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "tokens_family_id_idx" ON "tokens"("family_id");

-- CreateIndex
CREATE INDEX "pairing_codes_expires_at_idx" ON "pairing_codes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "devices_public_key_key" ON "devices"("public_key");

-- CreateIndex
CREATE INDEX "devices_account_id_idx" ON "devices"("account_id");

-- CreateIndex
CREATE INDEX "devices_relay_id_idx" ON "devices"("relay_id");

-- CreateIndex
CREATE INDEX "telemetry_device_id_at_idx" ON "telemetry"("device_id", "at");

-- CreateIndex
CREATE INDEX "device_commands_device_id_created_at_idx" ON "device_commands"("device_id", "created_at");

-- CreateIndex
CREATE INDEX "messages_account_id_state_created_at_key_idx" ON "messages"("account_id", "state", "created_at", "key");

-- CreateIndex
CREATE INDEX "messages_account_id_device_id_state_created_at_key_idx" ON "messages"("account_id", "device_id", "state", "created_at", "key");

-- CreateIndex
CREATE UNIQUE INDEX "messages_account_id_id_key" ON "messages"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "recipients_message_key_position_key" ON "recipients"("message_key", "position");

-- CreateIndex
CREATE INDEX "inbox_account_id_created_at_key_idx" ON "inbox"("account_id", "created_at", "key");

-- CreateIndex
CREATE INDEX "inbox_account_id_type_created_at_key_idx" ON "inbox"("account_id", "type", "created_at", "key");

-- CreateIndex
CREATE INDEX "inbox_account_id_sender_created_at_key_idx" ON "inbox"("account_id", "sender", "created_at", "key");

-- CreateIndex
CREATE INDEX "inbox_account_id_device_id_created_at_key_idx" ON "inbox"("account_id", "device_id", "created_at", "key");

-- CreateIndex
CREATE INDEX "inbox_stored_at_idx" ON "inbox"("stored_at");

-- CreateIndex
CREATE UNIQUE INDEX "inbox_account_id_id_key" ON "inbox"("account_id", "id");

-- CreateIndex
CREATE INDEX "webhooks_account_id_event_idx" ON "webhooks"("account_id", "event");

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_account_id_id_key" ON "webhooks"("account_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_key_state_created_at_key_idx" ON "webhook_deliveries"("webhook_key", "state", "created_at", "key");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_webhook_key_id_key" ON "webhook_deliveries"("webhook_key", "id");

-- CreateIndex
CREATE INDEX "logs_account_id_created_at_id_idx" ON "logs"("account_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "token_families" ADD CONSTRAINT "token_families_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pairing_codes" ADD CONSTRAINT "pairing_codes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolment_tokens" ADD CONSTRAINT "enrolment_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_journals" ADD CONSTRAINT "device_journals_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sim_cards" ADD CONSTRAINT "sim_cards_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "telemetry" ADD CONSTRAINT "telemetry_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_commands" ADD CONSTRAINT "device_commands_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_message_key_fkey" FOREIGN KEY ("message_key") REFERENCES "messages"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "parts" ADD CONSTRAINT "parts_cmd_id_fkey" FOREIGN KEY ("cmd_id") REFERENCES "recipients"("cmd_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbox" ADD CONSTRAINT "inbox_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_key_fkey" FOREIGN KEY ("webhook_key") REFERENCES "webhooks"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_key_fkey" FOREIGN KEY ("delivery_key") REFERENCES "webhook_deliveries"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "logs" ADD CONSTRAINT "logs_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
