-- Statistics count by the time of each step. A message is in an index only after that step, so accepting a message costs nothing.

-- Contains the columns from which the time to sending is computed, so that the table itself is not read.
CREATE INDEX messages_sent ON messages (account_id, sent_at) INCLUDE (created_at, schedule_at) WHERE sent_at IS NOT NULL;
CREATE INDEX messages_delivered ON messages (account_id, delivered_at) WHERE delivered_at IS NOT NULL;
CREATE INDEX messages_failed ON messages (account_id, failed_at) WHERE state = 'Failed';
