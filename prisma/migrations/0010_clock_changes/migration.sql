-- `not_before` holds a scheduled message back until its time; `due_at` orders the queue. Relays of older releases do not
-- write `not_before`: of their messages `due_at` is both.
ALTER TABLE "recipients" ADD COLUMN     "not_before" TIMESTAMPTZ(3);

-- When stored times were last corrected after the database's clock was set back, so that several relays do it once.
ALTER TABLE "installation" ADD COLUMN     "clock_set_back_at" TIMESTAMPTZ(3);
