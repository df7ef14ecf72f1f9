-- Relays of older releases kept numbers in the order of conversations after they had replaced them with hashes. If the oldest messages
-- have been hashed, the job looks up each conversation again. Until it has done this, lists do not use the order.
INSERT INTO conversation_order_queue (account_id, number)
SELECT account_id, number FROM conversation_order
WHERE EXISTS (SELECT FROM (SELECT content_hash FROM messages ORDER BY key LIMIT 1000) AS oldest WHERE content_hash IS NOT NULL)
ORDER BY account_id, number;
