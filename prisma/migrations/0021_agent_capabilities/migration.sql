-- The features of the agent beyond the first release, as it reported them on the connection of that epoch. They are valid only
-- while that epoch is the present epoch, because relays of older releases open connections without writing them.
ALTER TABLE "devices" ADD COLUMN     "capabilities" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "capabilities_epoch" BIGINT;
