-- After the clock was set back, a relay sets `due_at` of waiting recipients to the present time, and an approval does this later. Then
-- `due_at` is earlier than the creation of the message, and does not show that a later message exists. So a number is also added to the
-- queue if its message was due before the clock was last set back, or in the week after that.
CREATE OR REPLACE FUNCTION queue_deleted_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_steady boolean := pg_try_advisory_xact_lock_shared(1936554599, hashtext('conversation order'));
  reliable_from timestamptz := coalesce((SELECT max(clock_set_back_at) + interval '7 days' FROM installation), '-infinity');
BEGIN
  INSERT INTO conversation_order_queue (account_id, number)
  SELECT DISTINCT account_id, phone_number FROM deleted d
  WHERE (is_steady AND d.due_at > reliable_from AND (SELECT last_at FROM conversation_order o
      WHERE o.account_id = d.account_id AND o.number = d.phone_number COLLATE "C") > d.due_at + interval '1 hour') IS NOT TRUE
  ORDER BY account_id, phone_number;
  RETURN NULL;
END $$;
