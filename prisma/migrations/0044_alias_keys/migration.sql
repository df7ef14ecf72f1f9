-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "alias_keys" JSONB NOT NULL DEFAULT '[]';
