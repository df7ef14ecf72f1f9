-- What Prisma's schema cannot say: indexes over the few rows that still have work in them, so that a look for work costs
-- the same beside ten million finished rows, and vacuuming that keeps up with rows that change three times and rest.
-- Statements that rely on them write the states out: a plan that is made for any parameter cannot use them.

ALTER TABLE installation ADD CONSTRAINT installation_is_one_row CHECK (id = 1);

-- Dispatch: what a device may be given next. Scheduled ones lie in it too, behind their time.
CREATE INDEX recipients_waiting ON recipients (device_id, priority DESC, due_at, message_key, position)
  WHERE dispatched_journal IS NULL AND state = 'Pending';

-- Dispatch: cancels that a device has not answered yet.
CREATE INDEX recipients_cancelling ON recipients (device_id, cancel_requested_at)
  WHERE cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL;

-- Queue lengths, the choice of a device, and devices that are lost with what they hold.
CREATE INDEX recipients_unfinished ON recipients (device_id, dispatched_at)
  WHERE state IN ('Pending', 'Cancelling', 'Processed');

-- The sweeper ends what was never dispatched in time.
CREATE INDEX recipients_expiring ON recipients (valid_until)
  WHERE dispatched_journal IS NULL AND state = 'Pending' AND valid_until IS NOT NULL;

-- Two posts with one key: the second waits for the first to commit, and then finds its message.
CREATE UNIQUE INDEX messages_idempotency ON messages (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- Retention and hashing count from the end; a new row pays nothing for it.
CREATE INDEX messages_finished ON messages (account_id, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX messages_to_hash ON messages (finished_at) WHERE finished_at IS NOT NULL AND content_hash IS NULL;

-- The outbox: due ones over all webhooks, and those of one webhook.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_due_of_webhook ON webhook_deliveries (webhook_key, next_attempt_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- Commands that a device has not answered yet.
CREATE INDEX device_commands_waiting ON device_commands (device_id, created_at) WHERE answered_at IS NULL;

-- A fifth of ten million dead rows is too late to begin.
ALTER TABLE messages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE recipients SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE webhook_deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Small, and rewritten with every frame of a device or try of a webhook: room for the new version beside the old.
ALTER TABLE devices SET (fillfactor = 50);
ALTER TABLE device_journals SET (fillfactor = 50);
ALTER TABLE webhooks SET (fillfactor = 50);
