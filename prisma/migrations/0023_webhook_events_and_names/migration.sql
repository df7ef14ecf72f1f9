-- Webhooks with several events, a name and a pause; names of SIM slots. Relays of the previous release write only "event",
-- store deliveries only for this event, and ignore a pause.
ALTER TABLE "webhooks" ADD COLUMN     "events" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "name" TEXT,
ADD COLUMN     "held_since" TIMESTAMPTZ(3);

ALTER TABLE "devices" ADD COLUMN     "sim_names" JSONB NOT NULL DEFAULT '{}';

-- Locks: an account has at most fifty webhooks, and a delivery that waits for its webhook waits for milliseconds.
UPDATE webhooks SET events = ARRAY[event];

-- "event" is the first element of "events". A relay of the previous release that replaces a webhook writes another event.
CREATE FUNCTION complete_webhook_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.events[1] IS DISTINCT FROM NEW.event THEN
    NEW.events = ARRAY[NEW.event];
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER complete_webhook_events BEFORE INSERT OR UPDATE OF event, events ON webhooks
  FOR EACH ROW EXECUTE FUNCTION complete_webhook_events();

-- As in 0008, with the new columns.
CREATE OR REPLACE TRIGGER tell_webhook_changed AFTER UPDATE ON webhooks FOR EACH ROW
  WHEN ((OLD.url, OLD.events, OLD.name, OLD.device_id, OLD.secret_sealed, OLD.disabled_at, OLD.paused_until, OLD.held_since)
    IS DISTINCT FROM
    (NEW.url, NEW.events, NEW.name, NEW.device_id, NEW.secret_sealed, NEW.disabled_at, NEW.paused_until, NEW.held_since))
  EXECUTE FUNCTION tell_webhook_changed();

CREATE OR REPLACE TRIGGER tell_device_changed AFTER UPDATE ON devices FOR EACH ROW
  WHEN ((OLD.name, OLD.sim_names, OLD.deleted_at, OLD.agent_version, OLD.conn_epoch, OLD.relay_id)
    IS DISTINCT FROM (NEW.name, NEW.sim_names, NEW.deleted_at, NEW.agent_version, NEW.conn_epoch, NEW.relay_id))
  EXECUTE FUNCTION tell_device_changed();
