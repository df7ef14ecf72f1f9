-- Pairing codes that were created with a token become invalid when the token is revoked. Null for codes of older releases.
ALTER TABLE "pairing_codes" ADD COLUMN     "family_id" TEXT;
