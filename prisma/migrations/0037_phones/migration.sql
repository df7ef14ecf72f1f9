-- Phones as devices. Older releases leave the new columns empty.
ALTER TABLE "devices" ADD COLUMN     "encryption_key" TEXT,
ADD COLUMN     "encryption_key_version" INTEGER,
ADD COLUMN     "phone_token_hash" TEXT;
