-- An earlier event of the same message for the same receiver. Its first attempt is made before the first attempt of this delivery.
ALTER TABLE "webhook_deliveries" ADD COLUMN     "follows_id" TEXT,
ADD COLUMN     "follows_webhook_key" BIGINT;
