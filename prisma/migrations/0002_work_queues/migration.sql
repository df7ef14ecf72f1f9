-- Indexes and settings that Prisma's schema cannot express. The indexes contain only the few unfinished rows, so that a
-- search for work costs the same next to ten million finished rows. The settings let vacuuming keep up with rows that change
-- three times and then stay unchanged. Statements that use these indexes contain the states as literals, because a plan for
-- any parameter cannot use a partial index.

ALTER TABLE installation ADD CONSTRAINT installation_is_one_row CHECK (id = 1);

-- Dispatch: the messages that a device may get next. Scheduled messages are ordered by their time.
CREATE INDEX recipients_waiting ON recipients (device_id, priority DESC, due_at, message_key, position)
  WHERE dispatched_journal IS NULL AND state = 'Pending';

-- Dispatch: cancels that a device has not answered yet.
CREATE INDEX recipients_cancelling ON recipients (device_id, cancel_requested_at)
  WHERE cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL;

-- Queue lengths, the choice of a device, and the messages of lost devices.
CREATE INDEX recipients_unfinished ON recipients (device_id, dispatched_at)
  WHERE state IN ('Pending', 'Cancelling', 'Processed');

-- A job ends messages that were not dispatched in time.
CREATE INDEX recipients_expiring ON recipients (valid_until)
  WHERE dispatched_journal IS NULL AND state = 'Pending' AND valid_until IS NOT NULL;

-- Of two posts with one key, the second waits until the first commits, and then finds its message.
CREATE UNIQUE INDEX messages_idempotency ON messages (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- Retention and hashing count from the end of a message. A new row costs nothing in these indexes.
CREATE INDEX messages_finished ON messages (account_id, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX messages_to_hash ON messages (finished_at) WHERE finished_at IS NOT NULL AND content_hash IS NULL;

-- The outbox: due deliveries of all webhooks, and due deliveries of one webhook.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_due_of_webhook ON webhook_deliveries (webhook_key, next_attempt_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- Commands that a device has not answered yet.
CREATE INDEX device_commands_waiting ON device_commands (device_id, created_at) WHERE answered_at IS NULL;

-- By default, vacuuming begins at a fifth of the rows, which is too late for ten million rows.
ALTER TABLE messages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE recipients SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE webhook_deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- These tables are small, and their rows are rewritten with each frame of a device or attempt of a webhook. Half of each page
-- stays free for new versions of the rows.
ALTER TABLE devices SET (fillfactor = 50);
ALTER TABLE device_journals SET (fillfactor = 50);
ALTER TABLE webhooks SET (fillfactor = 50);
