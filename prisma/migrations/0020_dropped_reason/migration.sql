-- Why a delivery was dropped.
ALTER TABLE "webhook_deliveries" ADD COLUMN     "dropped_reason" TEXT;
