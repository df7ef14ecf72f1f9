-- Live events (GET /events), written in the transaction of the change, so that an event exists exactly if its change was
-- committed. Triggers write them, because many statements change the same tables. For an account that no client follows,
-- nothing is written: each statement costs only a look-up in a table that is mostly empty.

CREATE TABLE "live_accounts" (
    "account_id" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "since_id" BIGINT NOT NULL,

    CONSTRAINT "live_accounts_pkey" PRIMARY KEY ("account_id")
);

-- Without a foreign key, because it would take locks in the most frequent transactions, for rows that are kept for two hours.
CREATE TABLE "live_events" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "live_events_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "live_events_account_id_id_idx" ON "live_events"("account_id", "id");

CREATE INDEX "live_events_at_idx" ON "live_events"("at");

ALTER TABLE "live_accounts" ADD CONSTRAINT "live_accounts_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION tell_message_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'message.created', jsonb_build_object('id', id)
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts) ORDER BY key;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_message_created AFTER INSERT ON messages
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_message_created();

-- A message changes when one of its recipients changes. If its own row changes too, the same statement writes it.
CREATE FUNCTION tell_message_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT m.account_id, 'message.changed', jsonb_build_object('id', m.id, 'state', m.state)
    FROM messages m
    WHERE m.account_id IN (SELECT account_id FROM live_accounts) AND m.key IN (
      SELECT changed.message_key FROM changed JOIN before ON before.cmd_id = changed.cmd_id
      WHERE (before.state, before.error) IS DISTINCT FROM (changed.state, changed.error))
    ORDER BY m.key;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_message_changed AFTER UPDATE ON recipients
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_message_changed();

CREATE FUNCTION tell_inbox_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'inbox.received', jsonb_build_object('id', id, 'sender', sender, 'type', type)
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts) ORDER BY key;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_inbox_received AFTER INSERT ON inbox
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_inbox_received();
-- An update completes a message whose missing parts have arrived.
CREATE TRIGGER tell_inbox_completed AFTER UPDATE ON inbox
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_inbox_received();

CREATE FUNCTION tell_device_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'device.changed', jsonb_build_object('id', id)
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_device_added AFTER INSERT ON devices
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_device_added();

-- Leaves out leases and marks, which are written all the time, for whole fleets at once. A trigger for each row costs these
-- updates only a comparison, and no copy of the row.
CREATE FUNCTION tell_device_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO live_events (account_id, kind, data)
  SELECT account_id, 'device.changed', jsonb_build_object('id', NEW.id)
  FROM live_accounts WHERE account_id = NEW.account_id;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_device_changed AFTER UPDATE ON devices FOR EACH ROW
  WHEN ((OLD.name, OLD.deleted_at, OLD.agent_version, OLD.conn_epoch, OLD.relay_id)
    IS DISTINCT FROM (NEW.name, NEW.deleted_at, NEW.agent_version, NEW.conn_epoch, NEW.relay_id))
  EXECUTE FUNCTION tell_device_changed();

CREATE FUNCTION tell_sims_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'device.changed', jsonb_build_object('id', id)
    FROM devices WHERE id IN (SELECT device_id FROM changed)
      AND account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_sims_added AFTER INSERT ON sim_cards
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_sims_changed();
CREATE TRIGGER tell_sims_changed AFTER UPDATE ON sim_cards
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_sims_changed();
CREATE TRIGGER tell_sims_removed AFTER DELETE ON sim_cards
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_sims_changed();

CREATE FUNCTION tell_device_telemetry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'device.telemetry', jsonb_build_object('id', id)
    FROM devices WHERE id IN (SELECT device_id FROM changed)
      AND account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_device_telemetry AFTER INSERT ON telemetry
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_device_telemetry();

CREATE FUNCTION tell_webhook_attempted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT d.account_id, 'webhook.attempted',
      jsonb_build_object('webhookId', w.id, 'deliveryId', d.id, 'state', d.state)
    FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
    WHERE d.key IN (SELECT delivery_key FROM changed) AND d.account_id IN (SELECT account_id FROM live_accounts)
    ORDER BY d.key;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_webhook_attempted AFTER INSERT ON webhook_attempts
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_webhook_attempted();

CREATE FUNCTION tell_webhook_there() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'webhook.changed', jsonb_build_object('id', id)
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_webhook_added AFTER INSERT ON webhooks
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_webhook_there();
CREATE TRIGGER tell_webhook_removed AFTER DELETE ON webhooks
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_webhook_there();

-- Leaves out the worker that serves the webhook.
CREATE FUNCTION tell_webhook_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO live_events (account_id, kind, data)
  SELECT account_id, 'webhook.changed', jsonb_build_object('id', NEW.id)
  FROM live_accounts WHERE account_id = NEW.account_id;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_webhook_changed AFTER UPDATE ON webhooks FOR EACH ROW
  WHEN ((OLD.url, OLD.event, OLD.device_id, OLD.secret_sealed, OLD.disabled_at, OLD.paused_until)
    IS DISTINCT FROM (NEW.url, NEW.event, NEW.device_id, NEW.secret_sealed, NEW.disabled_at, NEW.paused_until))
  EXECUTE FUNCTION tell_webhook_changed();

CREATE FUNCTION tell_log_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'log.added',
      jsonb_build_object('id', id, 'priority', priority, 'module', module, 'message', message)
    FROM changed WHERE account_id IN (SELECT account_id FROM live_accounts) ORDER BY id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_log_added AFTER INSERT ON logs
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_log_added();

CREATE FUNCTION tell_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO live_events (account_id, kind, data)
  SELECT account_id, 'settings.changed', '{}' FROM live_accounts WHERE account_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_settings_changed AFTER UPDATE ON accounts FOR EACH ROW
  WHEN (OLD.settings_version IS DISTINCT FROM NEW.settings_version)
  EXECUTE FUNCTION tell_settings_changed();
