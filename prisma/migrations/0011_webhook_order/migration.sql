-- An earlier event of the same message for the same receiver: its first attempt comes before the first one of this.
ALTER TABLE "webhook_deliveries" ADD COLUMN     "follows_id" TEXT,
ADD COLUMN     "follows_webhook_key" BIGINT;
