-- A deleted message adds its conversation to the queue only if it may be the last message of the conversation. Retention deletes the
-- oldest messages, and more of them than the job processes, so that lists could not use the order of conversations for hours.
-- The order can prove that a later message exists only while the job does not change it: the job holds the lock exclusively, and may be
-- writing the time of the message that is deleted here. So while the job runs, each conversation is added.
-- A recipient is due when the message was created or later, except by the time between two readings of the clock.
CREATE OR REPLACE FUNCTION queue_deleted_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_steady boolean := pg_try_advisory_xact_lock_shared(1936554599, hashtext('conversation order'));
BEGIN
  INSERT INTO conversation_order_queue (account_id, number)
  SELECT DISTINCT account_id, phone_number FROM deleted d
  WHERE (is_steady AND (SELECT last_at FROM conversation_order o
      WHERE o.account_id = d.account_id AND o.number = d.phone_number COLLATE "C") > d.due_at + interval '1 hour') IS NOT TRUE
  ORDER BY account_id, phone_number;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION queue_deleted_received() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_steady boolean := pg_try_advisory_xact_lock_shared(1936554599, hashtext('conversation order'));
BEGIN
  INSERT INTO conversation_order_queue (account_id, number)
  SELECT DISTINCT account_id, sender FROM deleted d
  WHERE (is_steady AND (SELECT last_at FROM conversation_order o
      WHERE o.account_id = d.account_id AND o.number = d.sender COLLATE "C") > d.created_at) IS NOT TRUE
  ORDER BY account_id, sender;
  RETURN NULL;
END $$;
