-- The shared inbox: unread messages, and decisions of people about conversations. Existing messages count as read.
-- AlterTable
ALTER TABLE "inbox" ADD COLUMN     "is_unread" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "conversation_states" (
    "account_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "archived_at" TIMESTAMPTZ(3),
    "blocked_at" TIMESTAMPTZ(3),
    "assignee" TEXT,

    CONSTRAINT "conversation_states_pkey" PRIMARY KEY ("account_id","number")
);

-- CreateTable
CREATE TABLE "labels" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "labels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation_labels" (
    "account_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "label_id" TEXT NOT NULL,

    CONSTRAINT "conversation_labels_pkey" PRIMARY KEY ("account_id","number","label_id")
);

-- CreateTable
CREATE TABLE "conversation_notes" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversation_notes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "conversation_states_account_id_assignee_idx" ON "conversation_states"("account_id", "assignee");

-- CreateIndex
CREATE UNIQUE INDEX "labels_account_id_name_key" ON "labels"("account_id", "name");

-- CreateIndex
CREATE INDEX "conversation_labels_label_id_idx" ON "conversation_labels"("label_id");

-- CreateIndex
CREATE INDEX "conversation_notes_account_id_number_created_at_idx" ON "conversation_notes"("account_id", "number", "created_at");

-- AddForeignKey
ALTER TABLE "conversation_states" ADD CONSTRAINT "conversation_states_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "labels" ADD CONSTRAINT "labels_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation_labels" ADD CONSTRAINT "conversation_labels_account_id_number_fkey" FOREIGN KEY ("account_id", "number") REFERENCES "conversation_states"("account_id", "number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation_labels" ADD CONSTRAINT "conversation_labels_label_id_fkey" FOREIGN KEY ("label_id") REFERENCES "labels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_account_id_number_fkey" FOREIGN KEY ("account_id", "number") REFERENCES "conversation_states"("account_id", "number") ON DELETE CASCADE ON UPDATE CASCADE;

-- A new message is unread unless its sender is blocked. A trigger decides this, also for relays of the previous release. The
-- shared lock delays the message while a change to this conversation is being committed, and a change waits for the message. All
-- conversations share 64 locks, because a transaction that stores many messages must not fill the lock table of the server.
CREATE FUNCTION mark_received_unread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1936554600, hashtext(NEW.account_id || ' ' || NEW.sender) & 63);
  NEW.is_unread := NOT EXISTS (
    SELECT FROM conversation_states
    WHERE account_id = NEW.account_id AND number = NEW.sender AND blocked_at IS NOT NULL);
  RETURN NEW;
END $$;
CREATE TRIGGER mark_received_unread BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION mark_received_unread();

-- A new message returns its conversation from the archive. AFTER INSERT, because a message that is already stored must not.
CREATE FUNCTION return_from_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE conversation_states SET archived_at = NULL
  WHERE account_id = NEW.account_id AND number = NEW.sender AND archived_at IS NOT NULL AND blocked_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER return_from_archive AFTER INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION return_from_archive();

-- An update either completes a partial message, or changes whether messages are unread.
CREATE FUNCTION tell_inbox_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT changed.account_id, 'inbox.received',
      jsonb_build_object('id', changed.id, 'sender', changed.sender, 'type', changed.type)
    FROM changed JOIN before ON before.key = changed.key
    WHERE changed.account_id IN (SELECT account_id FROM live_accounts) AND before.is_unread = changed.is_unread
    ORDER BY changed.key;
    INSERT INTO live_events (account_id, kind, data)
    SELECT DISTINCT changed.account_id, 'conversation.changed', jsonb_build_object('number', changed.sender)
    FROM changed JOIN before ON before.key = changed.key
    WHERE changed.account_id IN (SELECT account_id FROM live_accounts) AND before.is_unread <> changed.is_unread;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tell_inbox_completed AFTER UPDATE ON inbox
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_inbox_updated();

CREATE FUNCTION tell_conversation_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT DISTINCT account_id, 'conversation.changed', jsonb_build_object('number', number)
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_conversation_decided AFTER INSERT ON conversation_states
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_conversation_changed();
CREATE TRIGGER tell_conversation_changed AFTER UPDATE ON conversation_states
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_conversation_changed();
CREATE TRIGGER tell_note_added AFTER INSERT ON conversation_notes
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_conversation_changed();
CREATE TRIGGER tell_note_removed AFTER DELETE ON conversation_notes
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_conversation_changed();
CREATE TRIGGER tell_conversation_labelled AFTER INSERT ON conversation_labels
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_conversation_changed();

-- A deleted label is one event, not one for each of its conversations.
CREATE FUNCTION tell_label_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT DISTINCT account_id, 'conversation.changed', jsonb_build_object('number', number)
    FROM changed
    WHERE account_id IN (SELECT account_id FROM live_accounts) AND label_id IN (SELECT id FROM labels);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_label_taken AFTER DELETE ON conversation_labels
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_label_taken();

CREATE FUNCTION tell_labels_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT DISTINCT account_id, 'labels.changed', '{}'::jsonb
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_label_added AFTER INSERT ON labels
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_labels_changed();
CREATE TRIGGER tell_label_changed AFTER UPDATE ON labels
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_labels_changed();
CREATE TRIGGER tell_label_deleted AFTER DELETE ON labels
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_labels_changed();
