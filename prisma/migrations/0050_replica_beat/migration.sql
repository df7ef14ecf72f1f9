-- Relays write the time here, so that they can measure how far a read replica is behind. Relays of the previous release
-- do not use the column.
-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "replica_beat_at" TIMESTAMPTZ(3);
