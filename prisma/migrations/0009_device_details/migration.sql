ALTER TABLE "devices" ADD COLUMN     "connected_at" TIMESTAMPTZ(3);

-- Finds the last warnings and errors of one device, however many other entries the account has.
CREATE INDEX logs_trouble ON logs (device_id, created_at DESC) WHERE priority IN ('WARN', 'ERROR');
