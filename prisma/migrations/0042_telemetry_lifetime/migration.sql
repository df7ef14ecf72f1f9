-- When a telemetry sample is deleted. Null in rows of older releases, which are deleted after a week.
-- AlterTable
ALTER TABLE "telemetry" ADD COLUMN "forget_at" TIMESTAMPTZ(3);
