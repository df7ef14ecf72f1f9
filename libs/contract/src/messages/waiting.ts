// The reasons why an accepted message is not yet sent, for the relay, agent, API and console.
import { z } from 'zod'
import { utcTime } from '../fields/times.ts'

export const waitingReasons = [
  /** A person must approve the message. */
  'approval',
  /** The time `scheduleAt` is in the future. */
  'scheduled',
  'device_offline',
  /** Earlier messages of the same device come first. */
  'queued',
  /** The modem did not confirm one of the parts. */
  'outcome_unknown',
  /** An earlier message to the same number is `outcome_unknown`. */
  'earlier_outcome_unknown',
  /** The network or the modem refused the message temporarily. */
  'retry',
  'pause',
  'limit',
  'work_hours',
  'no_network',
  /** The SIM is roaming, and the settings of the device do not allow sending while roaming. */
  'roaming',
  'modem_missing',
  'sim_locked',
  /** The modem is starting or recovering, or does not answer. */
  'modem_busy',
  'clock_unknown',
  /** The agent was restarted, and only the relay can confirm that its journal is not an old copy. */
  'relay_unreachable',
] as const

export type WaitingReason = (typeof waitingReasons)[number]

export const waiting = z
  .strictObject({
    reason: z.enum(waitingReasons),
    until: utcTime.optional().meta({ description: 'Latest time at which the wait ends, if known' }),
    message: z.string().meta({ description: 'Description of the reason, with times in UTC' }),
  })
  .meta({ id: 'Waiting', description: 'Why the message is not yet sent. Absent when the message is not waiting' })

export type Waiting = z.output<typeof waiting>

/** A reason with its details. */
export interface WaitingCause {
  readonly reason: WaitingReason
  /** ISO 8601. */
  readonly until?: string | undefined
  readonly simNumber?: number | undefined
}

/** @param device the words that name the device in the sentence, for example "the device attic" */
export function waitingOf({ reason, until, simNumber }: WaitingCause, device: string): Waiting {
  const utc = until === undefined ? undefined : new Date(until).toISOString()
  const sim = simNumber === undefined ? undefined : `SIM ${simNumber}`
  const message = messages[reason]({ device, until: utc, sim })
  return { reason, ...(utc !== undefined && { until: utc }), message }
}

interface WaitingDetails {
  readonly device: string
  readonly until: string | undefined
  readonly sim: string | undefined
}

const messages: Readonly<Record<WaitingReason, (details: WaitingDetails) => string>> = {
  approval: ({ until }) => `Waiting for approval by a person${until === undefined ? '' : `, until ${until}`}.`,
  scheduled: ({ until }) => (until === undefined ? 'Scheduled.' : `Scheduled for ${until}.`),
  device_offline: ({ device }) =>
    `Offline: ${device} is not connected. It reports the result when it is connected again.`,
  queued: ({ device }) => `Queued behind earlier messages on ${device}.`,
  outcome_unknown: ({ until }) =>
    `Outcome unknown: the modem did not confirm the message. The message waits for a delivery report or a late answer${by(until)}.`,
  earlier_outcome_unknown: ({ until }) =>
    `The outcome of an earlier message to this number is unknown. This message waits for that outcome${by(until)}.`,
  retry: ({ until }) =>
    `Temporarily refused. ${until === undefined ? 'The message is tried again' : `Next try at ${until}`}.`,
  pause: ({ sim, until }) => `Pause between messages${ofSim(sim)}${by(until)}.`,
  limit: ({ sim, until }) => `${sim ?? 'The SIM'} has reached its message limit.${continues(until)}`,
  work_hours: ({ until }) => `Outside work hours.${continues(until)}`,
  no_network: ({ sim }) => `${sim ?? 'The SIM'} is not registered with a mobile network.`,
  roaming: ({ sim, device }) => `${sim ?? 'The SIM'} is roaming, and ${device} sends nothing while roaming.`,
  modem_missing: ({ sim, device }) =>
    sim === undefined ? `No modem of ${device} is ready.` : `The modem with ${sim} is not connected.`,
  sim_locked: ({ sim }) => `${sim ?? 'The SIM'} is locked: it needs its PIN or PUK.`,
  modem_busy: ({ sim, until }) =>
    `The modem${sim === undefined ? '' : ` with ${sim}`} is busy and cannot send now.${
      until === undefined ? '' : ` Next try at ${until}.`
    }`,
  clock_unknown: ({ device }) =>
    `The clock of ${device} is not confirmed yet. Messages with a deadline, work hours or a daily limit wait until the clock is confirmed.`,
  relay_unreachable: ({ device }) =>
    `No connection since the restart: ${device} sends the messages in its journal after it has reached the relay once.`,
}

function by(until: string | undefined): string {
  return until === undefined ? '' : `, until ${until} at the latest`
}

function continues(until: string | undefined): string {
  return until === undefined ? '' : ` Sending continues at ${until}.`
}

function ofSim(sim: string | undefined): string {
  return sim === undefined ? '' : ` of ${sim}`
}
