-- Numbers of messages, so that lists show a total without counting. A job of the relay counts messages up to a key and records the
-- key in the progress. The table starts empty: the job counts existing messages in portions, and lists count rows until
-- the job has counted all of them.
-- Accepting a message takes no longer. A later change of a counted message adds a row, so that no transaction waits for a row that
-- another one changes.
-- CreateTable
CREATE TABLE "message_counts" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "device_id" TEXT NOT NULL,
    "state" "message_state" NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "message_counts_pkey" PRIMARY KEY ("account_id","day","device_id","state")
);

-- CreateTable
CREATE TABLE "message_count_changes" (
    "account_id" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "message_key" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "device_id" TEXT NOT NULL,
    "state" "message_state" NOT NULL,
    "change" BIGINT NOT NULL,

    CONSTRAINT "message_count_changes_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "message_count_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "counted_key" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "message_count_progress_pkey" PRIMARY KEY ("id")
);

-- Rows are added and deleted all the time.
ALTER TABLE message_count_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE message_counts SET (fillfactor = 50);

-- Changes of messages up to this key are recorded. The key is in a sequence, because the value of a sequence does not depend on
-- transactions: triggers see it at once, without a lock, and the condition of a trigger may read it. The job sets it before it counts messages, and then waits for
-- the transactions that may have read the previous value.
CREATE SEQUENCE message_counts_recorded_key MINVALUE 0;

CREATE FUNCTION record_changed_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_count_changes (account_id, message_key, day, device_id, state, change) VALUES
    (OLD.account_id, OLD.key, (OLD.created_at AT TIME ZONE 'UTC')::date, OLD.device_id, OLD.state, -1),
    (NEW.account_id, NEW.key, (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.device_id, NEW.state, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER record_changed_message AFTER UPDATE OF state, device_id, created_at ON messages FOR EACH ROW
  WHEN ((OLD.state IS DISTINCT FROM NEW.state OR OLD.device_id IS DISTINCT FROM NEW.device_id
      OR OLD.created_at IS DISTINCT FROM NEW.created_at)
    AND OLD.key <= pg_sequence_last_value('message_counts_recorded_key'))
  EXECUTE FUNCTION record_changed_message();

-- Deleted messages that were counted add one row for each group, because many are deleted at once.
CREATE FUNCTION record_deleted_messages() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted bigint := coalesce((SELECT max(counted_key) FROM message_count_progress), 0);
BEGIN
  INSERT INTO message_count_changes (account_id, message_key, day, device_id, state, change)
  SELECT account_id, max(key), (created_at AT TIME ZONE 'UTC')::date, device_id, state, -count(*)
  FROM deleted
  WHERE key <= pg_sequence_last_value('message_counts_recorded_key')
  GROUP BY account_id, (created_at AT TIME ZONE 'UTC')::date, device_id, state, CASE WHEN key > counted THEN key END;
  RETURN NULL;
END $$;
CREATE TRIGGER record_deleted_messages AFTER DELETE ON messages
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_deleted_messages();
