-- The order of conversations, which a job of the relay updates after messages were stored, so that storing a message takes no
-- longer. The table starts empty, and the job adds existing conversations in portions.
-- Pages are ordered by the bytes of the numbers, whatever the collation of the database.
-- CreateTable
CREATE TABLE "conversation_order" (
    "account_id" TEXT NOT NULL,
    "number" TEXT COLLATE "C" NOT NULL,
    "folder" TEXT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversation_order_pkey" PRIMARY KEY ("account_id","number")
);

-- CreateTable
CREATE TABLE "conversation_order_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "sent_key" BIGINT NOT NULL DEFAULT 0,
    "received_key" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "conversation_order_progress_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation_order_queue" (
    "key" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,

    CONSTRAINT "conversation_order_queue_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "conversation_order_account_id_folder_last_at_number_idx" ON "conversation_order"("account_id", "folder", "last_at", "number");

-- AddForeignKey
ALTER TABLE "conversation_order" ADD CONSTRAINT "conversation_order_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Deleting a message, archiving and blocking add the conversation to the queue. Triggers do this, also for relays of the previous
-- release.
CREATE FUNCTION queue_deleted_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO conversation_order_queue (account_id, number)
  SELECT DISTINCT account_id, phone_number FROM deleted ORDER BY account_id, phone_number;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_deleted_recipients AFTER DELETE ON recipients
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION queue_deleted_recipients();

CREATE FUNCTION queue_deleted_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO conversation_order_queue (account_id, number)
  SELECT DISTINCT account_id, sender FROM deleted ORDER BY account_id, sender;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_deleted_received AFTER DELETE ON inbox
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION queue_deleted_received();

CREATE FUNCTION queue_filed_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO conversation_order_queue (account_id, number) VALUES (OLD.account_id, OLD.number);
  ELSE
    INSERT INTO conversation_order_queue (account_id, number) VALUES (NEW.account_id, NEW.number);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_filed_conversation AFTER INSERT ON conversation_states FOR EACH ROW
  WHEN (NEW.archived_at IS NOT NULL OR NEW.blocked_at IS NOT NULL) EXECUTE FUNCTION queue_filed_conversation();
CREATE TRIGGER queue_refiled_conversation AFTER UPDATE ON conversation_states FOR EACH ROW
  WHEN (OLD.archived_at IS DISTINCT FROM NEW.archived_at OR OLD.blocked_at IS DISTINCT FROM NEW.blocked_at)
  EXECUTE FUNCTION queue_filed_conversation();
CREATE TRIGGER queue_unfiled_conversation AFTER DELETE ON conversation_states FOR EACH ROW
  WHEN (OLD.archived_at IS NOT NULL OR OLD.blocked_at IS NOT NULL) EXECUTE FUNCTION queue_filed_conversation();
