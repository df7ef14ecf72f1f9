-- The explanation of a refusal by the agent, for the timeline of the message.
-- AlterTable
ALTER TABLE "parts" ADD COLUMN     "result_advice" TEXT,
ADD COLUMN     "result_words" TEXT;
