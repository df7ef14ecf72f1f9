-- Numbers of received messages and of webhook deliveries, so that their lists show a total without counting rows. Each statement that
-- adds, changes or deletes rows adds the difference to `list_count_changes`, so that no transaction waits for a row that another one
-- changes. A job adds the changes to `list_counts`. The tables start empty: the job counts existing rows, and lists count rows until the
-- job has counted all of them.
-- CreateTable
CREATE TABLE "list_counts" (
    "list" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "list_counts_pkey" PRIMARY KEY ("list","owner","device_id","kind")
);

-- CreateTable
CREATE TABLE "list_count_changes" (
    "id" BIGSERIAL NOT NULL,
    "list" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "change" BIGINT NOT NULL,

    CONSTRAINT "list_count_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "list_count_progress" (
    "list" TEXT NOT NULL,
    "is_counted" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "list_count_progress_pkey" PRIMARY KEY ("list")
);

-- Rows are added and deleted all the time.
ALTER TABLE list_count_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE list_counts SET (fillfactor = 50);

CREATE FUNCTION count_added_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_count_changes (list, owner, device_id, kind, change)
  SELECT 'inbox', account_id, device_id, type, count(*) FROM added GROUP BY account_id, device_id, type;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_received AFTER INSERT ON inbox
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_received();

CREATE FUNCTION count_deleted_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_count_changes (list, owner, device_id, kind, change)
  SELECT 'inbox', account_id, device_id, type, -count(*) FROM deleted GROUP BY account_id, device_id, type;
  RETURN NULL;
END $$;
CREATE TRIGGER count_deleted_received AFTER DELETE ON inbox
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_received();

-- Rare: the complete message replaces one with missing parts under the same id.
CREATE FUNCTION count_changed_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_count_changes (list, owner, device_id, kind, change) VALUES
    ('inbox', OLD.account_id, OLD.device_id, OLD.type, -1), ('inbox', NEW.account_id, NEW.device_id, NEW.type, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER count_changed_received AFTER UPDATE ON inbox FOR EACH ROW
  WHEN ((OLD.account_id, OLD.device_id, OLD.type) IS DISTINCT FROM (NEW.account_id, NEW.device_id, NEW.type))
  EXECUTE FUNCTION count_changed_received();

CREATE FUNCTION count_added_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_count_changes (list, owner, device_id, kind, change)
  SELECT 'deliveries', webhook_key::text, '', state, count(*) FROM added GROUP BY webhook_key, state;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_deliveries AFTER INSERT ON webhook_deliveries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_deliveries();

CREATE FUNCTION count_deleted_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_count_changes (list, owner, device_id, kind, change)
  SELECT 'deliveries', webhook_key::text, '', state, -count(*) FROM deleted GROUP BY webhook_key, state;
  RETURN NULL;
END $$;
CREATE TRIGGER count_deleted_deliveries AFTER DELETE ON webhook_deliveries
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_deliveries();

CREATE FUNCTION count_changed_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_count_changes (list, owner, device_id, kind, change)
  SELECT 'deliveries', webhook_key::text, '', state, sum(change) FROM (
    SELECT webhook_key, state, 1 AS change FROM after
    UNION ALL
    SELECT webhook_key, state, -1 FROM before
  ) AS one GROUP BY webhook_key, state HAVING sum(change) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_changed_deliveries AFTER UPDATE ON webhook_deliveries
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_changed_deliveries();
