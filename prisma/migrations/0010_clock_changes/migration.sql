-- An unscheduled message is due whatever any clock says: `due_at` only orders the queue, `not_before` holds a scheduled
-- message back until its time. It is the last column of the index, so that messages scheduled for later are skipped
-- without a look at their rows.
ALTER TABLE "recipients" ADD COLUMN     "not_before" TIMESTAMPTZ(3) NOT NULL DEFAULT '1970-01-01 00:00:00 +00:00';

UPDATE recipients r SET not_before = m.schedule_at FROM messages m
  WHERE m.key = r.message_key AND m.schedule_at IS NOT NULL AND r.dispatched_journal IS NULL AND r.state = 'Pending';

DROP INDEX recipients_waiting;
CREATE INDEX recipients_waiting ON recipients (device_id, priority DESC, due_at, message_key, position, not_before)
  WHERE dispatched_journal IS NULL AND state = 'Pending';

-- When stored times were last corrected after the database's clock was set back, so that several relays do it once.
ALTER TABLE "installation" ADD COLUMN     "clock_set_back_at" TIMESTAMPTZ(3);
