-- The secret of the API key that issued tokens or subscribed a browser, so that they end with it when the key is rotated.
-- AlterTable
ALTER TABLE "token_families" ADD COLUMN     "key_secret_hash" TEXT;

-- AlterTable
ALTER TABLE "push_subscriptions" ADD COLUMN     "key_secret_hash" TEXT;
