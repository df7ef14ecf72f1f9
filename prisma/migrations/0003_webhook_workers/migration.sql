-- One worker at a time serves a receiver. The row of the webhook names the worker, so that its deliveries need not.
ALTER TABLE "webhook_deliveries" DROP COLUMN "lease_until",
DROP COLUMN "leased_by",
ADD COLUMN     "tries" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "webhooks" ADD COLUMN     "failed_at" TIMESTAMPTZ(3),
ADD COLUMN     "served_by" INTEGER,
ADD COLUMN     "served_until" TIMESTAMPTZ(3);

-- No statement uses these indexes any more, because due and finished deliveries are found by their webhook.
DROP INDEX webhook_deliveries_due;
DROP INDEX webhook_deliveries_finished;
