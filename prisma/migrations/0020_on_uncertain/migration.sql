-- `onUncertain` of the request; null means `resolve`.
ALTER TABLE "messages" ADD COLUMN     "on_uncertain" TEXT;

-- The message was sent again after an unknown outcome and may have arrived twice. A constant default rewrites no rows.
ALTER TABLE "recipients" ADD COLUMN     "possible_duplicate" BOOLEAN NOT NULL DEFAULT false;
