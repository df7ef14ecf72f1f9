-- Push tokens of phones. Older releases do not use them.
-- CreateTable
CREATE TABLE "phone_pushes" (
    "device_id" TEXT NOT NULL,
    "token_sealed" TEXT NOT NULL,
    "noticed_until" TIMESTAMPTZ(3) NOT NULL,
    "settings_version" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "streams_until" TIMESTAMPTZ(3),

    CONSTRAINT "phone_pushes_pkey" PRIMARY KEY ("device_id")
);

-- AddForeignKey
ALTER TABLE "phone_pushes" ADD CONSTRAINT "phone_pushes_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;
