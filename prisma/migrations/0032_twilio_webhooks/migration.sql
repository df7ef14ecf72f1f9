-- Webhooks in Twilio's format, and messages whose states are sent to a URL of their own.
ALTER TABLE "webhooks" ADD COLUMN "format" TEXT;
ALTER TABLE "messages" ADD COLUMN "status_callback" TEXT;
