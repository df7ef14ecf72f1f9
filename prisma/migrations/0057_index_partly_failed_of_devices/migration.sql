-- Lists messages of one device of which some recipients failed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_partly_failed_of_device
  ON messages (account_id, device_id, state, created_at, key)
  WHERE is_partly_failed;
