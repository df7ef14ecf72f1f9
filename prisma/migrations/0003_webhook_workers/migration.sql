-- A receiver is served by one worker at a time, which is written beside the receiver and not in each of its deliveries.
ALTER TABLE "webhook_deliveries" DROP COLUMN "lease_until",
DROP COLUMN "leased_by",
ADD COLUMN     "tries" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "webhooks" ADD COLUMN     "failed_at" TIMESTAMPTZ(3),
ADD COLUMN     "served_by" INTEGER,
ADD COLUMN     "served_until" TIMESTAMPTZ(3);

-- What is due is found by webhook, and what is finished is deleted by webhook: nothing reads these.
DROP INDEX webhook_deliveries_due;
DROP INDEX webhook_deliveries_finished;
