-- Replaces recipients_waiting. The time of dispatch is its last column, so that messages scheduled for later are skipped
-- without reading their rows.
CREATE INDEX CONCURRENTLY IF NOT EXISTS recipients_due
  ON recipients (device_id, priority DESC, due_at, message_key, position, coalesce(not_before, due_at))
  WHERE dispatched_journal IS NULL AND state = 'Pending';
