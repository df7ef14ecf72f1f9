-- Marks the existing messages of which some recipients failed. Reads only failed recipients, and commits after each thousand of them, so
-- that no relay waits long for a message. A repeated run skips marked messages.
-- Locks the messages first, in the order in which relays lock them, so that the next statement sees the last states of the recipients.
DO $$
DECLARE
  account text;
  last_key bigint;
  portion bigint[];
  checked bigint := 0;
BEGIN
  FOR account IN SELECT id FROM accounts LOOP
    last_key := 0;
    LOOP
      portion := ARRAY(SELECT message_key FROM recipients
        WHERE account_id = account AND state = 'Failed' AND message_key > last_key ORDER BY message_key LIMIT 1000);
      EXIT WHEN portion = '{}';
      last_key := portion[cardinality(portion)];
      PERFORM FROM messages WHERE key = ANY (portion) AND state <> 'Failed' AND is_partly_failed IS NOT TRUE
        ORDER BY key FOR NO KEY UPDATE;
      UPDATE messages m SET is_partly_failed = true
      WHERE key = ANY (portion) AND state <> 'Failed' AND is_partly_failed IS NOT TRUE AND EXISTS (
        SELECT FROM recipients WHERE account_id = m.account_id AND message_key = m.key AND state = 'Failed');
      COMMIT;
      checked := checked + cardinality(portion);
      IF checked / 200000 > (checked - cardinality(portion)) / 200000 THEN
        RAISE NOTICE '% failed recipients checked', checked;
      END IF;
    END LOOP;
  END LOOP;
END $$;
