-- Attachments of downloaded MMS, and whether a received message is encrypted. Older releases store neither.
-- AlterTable
ALTER TABLE "inbox" ADD COLUMN     "is_encrypted" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "inbox_attachments" (
    "inbox_key" BIGINT NOT NULL,
    "part_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "octets" BYTEA NOT NULL,

    CONSTRAINT "inbox_attachments_pkey" PRIMARY KEY ("inbox_key","part_id")
);

-- AddForeignKey
ALTER TABLE "inbox_attachments" ADD CONSTRAINT "inbox_attachments_inbox_key_fkey" FOREIGN KEY ("inbox_key") REFERENCES "inbox"("key") ON DELETE CASCADE ON UPDATE CASCADE;
