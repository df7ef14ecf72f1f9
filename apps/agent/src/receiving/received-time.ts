import { epochMsFromTimeStamp, type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from '@smsgw/sms/time-stamp'

/** When a message was received, for people: the network's time stamp when it is plausible, else the agent's own time. */
export function receivedMs(centre: TimeStamp | InvalidTimeStamp, agentMs: number): number {
  if (!isValidTimeStamp(centre)) return agentMs
  const centreMs = epochMsFromTimeStamp(centre)
  return centreMs >= agentMs - oldestMs && centreMs <= agentMs + furthestAheadMs ? centreMs : agentMs
}

/** Service centres keep messages for a week at most. */
const oldestMs = 7 * 24 * 60 * 60_000
/** Centres write local time with the wrong zone. */
const furthestAheadMs = 60 * 60_000
