-- Statistics count by the time of each step. Whatever has not come so far is in none of these, so accepting pays nothing.

-- What the time to sending is reckoned from goes with it: the table itself is not read.
CREATE INDEX messages_sent ON messages (account_id, sent_at) INCLUDE (created_at, schedule_at) WHERE sent_at IS NOT NULL;
CREATE INDEX messages_delivered ON messages (account_id, delivered_at) WHERE delivered_at IS NOT NULL;
CREATE INDEX messages_failed ON messages (account_id, failed_at) WHERE state = 'Failed';
