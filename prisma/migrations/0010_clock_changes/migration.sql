-- `not_before` is the time before which a scheduled message is not sent, and `due_at` orders the queue. Relays of older
-- releases do not write `not_before`. For their messages, `due_at` has both meanings.
ALTER TABLE "recipients" ADD COLUMN     "not_before" TIMESTAMPTZ(3);

-- When stored times were last corrected after the database's clock was set back, so that several relays do it once.
ALTER TABLE "installation" ADD COLUMN     "clock_set_back_at" TIMESTAMPTZ(3);
