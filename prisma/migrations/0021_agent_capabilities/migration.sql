-- What the agent of a device supports beyond the first release, as it said on the connection of that epoch: it counts only
-- while the epoch is the present one, because relays of older releases open connections without writing it.
ALTER TABLE "devices" ADD COLUMN     "capabilities" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "capabilities_epoch" BIGINT;
