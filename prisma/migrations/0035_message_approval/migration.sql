-- Messages that wait for the approval of a person. Older releases leave the new columns empty, and dispatch no waiting message,
-- because its recipients are due at the end of year 9999.
-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "approval" TEXT,
ADD COLUMN     "approval_at" TIMESTAMPTZ(3),
ADD COLUMN     "approval_by" TEXT,
ADD COLUMN     "approval_until" TIMESTAMPTZ(3);

-- An approval changes no recipient's state, so it has a separate trigger. Only statements that set the column fire this trigger.
CREATE FUNCTION tell_message_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO live_events (account_id, kind, data)
  SELECT account_id, 'message.changed', jsonb_build_object('id', NEW.id, 'state', NEW.state)
  FROM live_accounts WHERE account_id = NEW.account_id;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_message_decided AFTER UPDATE OF approval ON messages FOR EACH ROW
  WHEN (OLD.approval IS DISTINCT FROM NEW.approval) EXECUTE FUNCTION tell_message_decided();
