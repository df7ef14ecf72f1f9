-- MMS to send. Older releases send none.
-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "mms" JSONB;

-- CreateTable
CREATE TABLE "message_attachments" (
    "message_key" BIGINT NOT NULL,
    "position" SMALLINT NOT NULL,
    "name" TEXT,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "octets" BYTEA NOT NULL,

    CONSTRAINT "message_attachments_pkey" PRIMARY KEY ("message_key","position")
);

-- AddForeignKey
ALTER TABLE "message_attachments" ADD CONSTRAINT "message_attachments_message_key_fkey" FOREIGN KEY ("message_key") REFERENCES "messages"("key") ON DELETE CASCADE ON UPDATE CASCADE;
