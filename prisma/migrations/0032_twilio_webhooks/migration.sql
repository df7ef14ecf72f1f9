-- Webhooks in Twilio's format, and messages with their own URL for reports about their states.
ALTER TABLE "webhooks" ADD COLUMN "format" TEXT;
ALTER TABLE "messages" ADD COLUMN "status_callback" TEXT;
