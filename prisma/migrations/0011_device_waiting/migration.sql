-- The latest report of an agent about why messages wait on its device. It has a separate table, because claims and events lock
-- the row of the device and must not wait for a report.
CREATE TABLE "device_waiting" (
    "device_id" TEXT NOT NULL,
    "conn_epoch" BIGINT NOT NULL,
    "report" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "device_waiting_pkey" PRIMARY KEY ("device_id")
);

ALTER TABLE "device_waiting" ADD CONSTRAINT "device_waiting_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION tell_device_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM live_accounts) THEN
    INSERT INTO live_events (account_id, kind, data)
    SELECT account_id, 'device.waiting', jsonb_build_object('id', id)
    FROM devices WHERE id IN (SELECT device_id FROM changed)
      AND account_id IN (SELECT account_id FROM live_accounts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_device_waiting_added AFTER INSERT ON device_waiting
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_device_waiting();
CREATE TRIGGER tell_device_waiting_changed AFTER UPDATE ON device_waiting
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_device_waiting();
