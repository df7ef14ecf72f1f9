ALTER TABLE "devices" ADD COLUMN     "connected_at" TIMESTAMPTZ(3);

-- The last trouble of one device, however much else an account logs.
CREATE INDEX logs_trouble ON logs (device_id, created_at DESC) WHERE priority IN ('WARN', 'ERROR');
