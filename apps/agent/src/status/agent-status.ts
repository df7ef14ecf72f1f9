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

/** Groups messages only by reason and SIM, because each of them may wait until another time. */
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
const SHOWS_LATEST: ReadonlySet<WaitingReason> = new Set(['outcome_unknown', 'earlier_outcome_unknown', 'pause'])
/** The reasons whose text names a time that applies to one message only. */
const SHOWS_EXACT: ReadonlySet<WaitingReason> = new Set(['scheduled', 'approval'])

/** Returns the time that the text for all these messages names, or undefined if no single time is right. */
function commonEnd(reason: WaitingReason, group: WaitingReport['messages']): string | undefined {
  const [first, ...others] = group.map(({ until }) => until).sort()
  const last = others.at(-1) ?? first
  if (SHOWS_LATEST.has(reason)) return last
  return SHOWS_EXACT.has(reason) && first !== last ? undefined : first
}
