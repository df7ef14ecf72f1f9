-- Pairing codes created with a token are void once the token is revoked. Null for those of older releases.
ALTER TABLE "pairing_codes" ADD COLUMN     "family_id" TEXT;
