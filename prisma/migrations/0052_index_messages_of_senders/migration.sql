-- Lists the messages that were sent with a password, a token, a session or by a webhook. The index is partial, because messages of
-- API keys are in the index messages_of_key.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_of_sender
  ON messages (account_id, sent_by, created_at, key)
  WHERE sent_by <> 'key';
