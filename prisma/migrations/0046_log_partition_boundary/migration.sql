-- First of four migrations that divide `logs` into partitions by day without copying rows. In 0049, the existing table becomes
-- the partition for all times before a boundary. This constraint lets PostgreSQL attach it without reading its rows.
-- The boundary is eight days ahead, so that relays of the previous release can still insert entries if an upgrade stops
-- between these migrations and is continued within a week. NOT VALID: existing rows are checked in 0047, without a lock that blocks writers.
DO $$
BEGIN
  EXECUTE format(
    'ALTER TABLE logs ADD CONSTRAINT logs_boundary CHECK (created_at < %L) NOT VALID',
    to_char(date_trunc('day', now(), 'UTC') AT TIME ZONE 'UTC' + interval '8 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
END $$;
