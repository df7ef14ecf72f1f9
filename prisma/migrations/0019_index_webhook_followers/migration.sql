-- Finds the deliveries that wait for the first attempt of an earlier event.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_deliveries_following ON webhook_deliveries (follows_webhook_key, follows_id)
  WHERE follows_id IS NOT NULL AND state = 'waiting' AND tries = 0;
