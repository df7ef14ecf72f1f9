-- Since when a webhook has its address. Of older ones it is known that it was not changed after `updated_at`.
ALTER TABLE "webhooks" ADD COLUMN     "url_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

UPDATE "webhooks" SET "url_since" = "updated_at";

ALTER TABLE "webhook_attempts" ADD COLUMN     "url" TEXT;
