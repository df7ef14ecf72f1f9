-- The last delivery and the last received message before a webhook got its URL. Older events may be sent to that URL only if
-- the caller may read them. The columns hold keys of sequences and not times, because clocks may be set back, and because the
-- time of a transaction is the time of its start. It is not recorded when existing webhooks got their URL, so for them all
-- events until this migration count as older.
ALTER TABLE "webhooks" ADD COLUMN     "url_since_delivery" BIGINT NOT NULL DEFAULT coalesce(pg_sequence_last_value('webhook_deliveries_key_seq'), 0),
ADD COLUMN     "url_since_inbox" BIGINT NOT NULL DEFAULT coalesce(pg_sequence_last_value('inbox_key_seq'), 0);

-- A trigger, so that changes by relays of older releases are recorded as well.
CREATE FUNCTION webhook_url_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.url_since_delivery = coalesce(pg_sequence_last_value('webhook_deliveries_key_seq'), 0);
  NEW.url_since_inbox = coalesce(pg_sequence_last_value('inbox_key_seq'), 0);
  RETURN NEW;
END $$;
CREATE TRIGGER webhook_url_changed BEFORE UPDATE OF url ON webhooks FOR EACH ROW
  WHEN (OLD.url IS DISTINCT FROM NEW.url) EXECUTE FUNCTION webhook_url_changed();

ALTER TABLE "webhook_attempts" ADD COLUMN     "url" TEXT;
