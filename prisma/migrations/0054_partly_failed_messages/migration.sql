-- Marks messages of which some recipients failed, so that the list of messages with failed recipients reads an index. If all recipients
-- failed, the message has the state Failed, which is indexed already. Triggers set the mark, so that it is also right for a relay of the
-- previous release. A recipient that does not fail costs one comparison.
-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "is_partly_failed" BOOLEAN;

-- Every transaction that changes or deletes a recipient has locked its message. The statement that changes a recipient also writes the
-- state of the message, before this trigger runs. The mark of a message in the state Failed is not used.
CREATE FUNCTION mark_partly_failed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  has_failed boolean := EXISTS (SELECT FROM recipients
    WHERE account_id = OLD.account_id AND message_key = OLD.message_key AND state = 'Failed');
BEGIN
  UPDATE messages SET is_partly_failed = has_failed
  WHERE key = OLD.message_key AND state <> 'Failed' AND coalesce(is_partly_failed, false) <> has_failed;
  RETURN NULL;
END $$;

CREATE TRIGGER mark_partly_failed AFTER UPDATE OF state ON recipients FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND (OLD.state = 'Failed' OR NEW.state = 'Failed'))
  EXECUTE FUNCTION mark_partly_failed();

CREATE TRIGGER mark_partly_failed_deleted AFTER DELETE ON recipients FOR EACH ROW
  WHEN (OLD.state = 'Failed')
  EXECUTE FUNCTION mark_partly_failed();
