-- The event of the same message that the same receiver is told first: its first attempt comes before this one.
ALTER TABLE "webhook_deliveries" ADD COLUMN     "follows_id" TEXT,
ADD COLUMN     "follows_webhook_key" BIGINT;
