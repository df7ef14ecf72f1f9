import type { SimCard } from '@smsgw/contract/link/event'
import { isWaitingReason, type WaitingReport } from '@smsgw/contract/link/waiting-report'
import { type Waiting, type WaitingReason, waitingOf } from '@smsgw/contract/messages/waiting'
import type { ModemHealth } from '../modems/modem-health.ts'
import { telemetrySample } from './telemetry.ts'

/** The status of an agent as plain JSON. It contains no message texts, and only the last digits of phone numbers. */
export interface AgentStatus {
  readonly version: string
  readonly pid: number
  readonly upMs: number
  readonly link: LinkStatus
  readonly queue: {
    /** The number of accepted messages that have not ended. */
    readonly open: number
    /** The number of open messages of which no part was sent yet. */
    readonly waiting: number
    /** The number of open messages that may have been sent. */
    readonly inDoubt: number
  }
  /**
   * Why messages wait, with the number of messages for each reason. Messages that only wait for earlier messages are
   * left out.
   */
  readonly waiting: readonly WaitingStatus[]
  readonly journal: { readonly id: string; readonly fsyncMs: number; readonly problem: string | undefined }
  /** The number of log lines that could not be written. */
  readonly logLinesDropped: number
  readonly clock: { readonly trusted: boolean; readonly systemErrorMs: number | undefined }
  /** The current encryption key. Absent in older agents. */
  readonly encryptionKey?: EncryptionKeyStatus
  readonly modems: readonly ShownModem[]
  readonly sims: readonly SimStatus[]
  /** Other components of the process; absent in older agents. */
  readonly components?: readonly ComponentStatus[]
  /** Connected devices that look like modems but cannot be used. Each line describes one device and a solution. */
  readonly unusable: readonly string[]
}

/** The key with which senders encrypt messages for this device. */
export interface EncryptionKeyStatus {
  readonly version: number
  /** SHA-256 of the public key in hexadecimal. */
  readonly fingerprint: string
}

/** A component that runs in the process of the agent, such as a channel of the bridge. */
export interface ComponentStatus {
  readonly component: string
  readonly part: string
  readonly problem: string | undefined
  /** When the present state began. */
  readonly since: string
}

export interface LinkStatus {
  readonly phase: string
  readonly relay: string
  /** The reason why the agent is not connected. */
  readonly problem: string | undefined
  readonly deviceId: string | undefined
  /** The number of events that the relay has not acknowledged. */
  readonly eventsWaiting: number
}

export type ShownModem = ReturnType<typeof telemetrySample>['modems'][number]

export interface SimStatus {
  readonly simNumber: number
  readonly state: string
  readonly carrierName: string | undefined
  readonly numberEnd: string | undefined
}

export function modemStatuses(modems: readonly ModemHealth[]): readonly ShownModem[] {
  return telemetrySample(modems, {}).modems
}

export function simStatuses(sims: readonly SimCard[]): readonly SimStatus[] {
  return sims.map(({ simNumber, state, carrierName, phoneNumber }) => ({
    simNumber,
    state,
    carrierName,
    numberEnd: phoneNumber?.slice(-3),
  }))
}

export interface WaitingStatus extends Waiting {
  readonly count: number
}

/** Counts messages with the same reason in one line, because each of them may wait until another time. */
export function waitingStatuses({ messages }: WaitingReport): readonly WaitingStatus[] {
  const groups = Map.groupBy(messages, ({ reason, simNumber }) => `${reason} ${simNumber}`)
  return [...groups.values()].flatMap((group) => {
    const [{ reason, simNumber } = {}] = group
    if (reason === undefined || !isWaitingReason(reason)) return []
    const count = group.reduce((sum, { cmdIds }) => sum + cmdIds.length, 0)
    return [{ count, ...waitingOf({ reason, until: commonEnd(reason, group), simNumber }, 'this device') }]
  })
}

/** The reasons whose text names the latest end of the wait. */
const HAS_LATEST_END: ReadonlySet<WaitingReason> = new Set(['outcome_unknown', 'earlier_outcome_unknown', 'pause'])

/** Returns undefined if messages wait until different times and the text names an exact time. */
function commonEnd(reason: WaitingReason, group: WaitingReport['messages']): string | undefined {
  const ends = group.map(({ until }) => until).sort()
  return ends[0] === ends.at(-1) || HAS_LATEST_END.has(reason) ? ends.at(-1) : undefined
}
