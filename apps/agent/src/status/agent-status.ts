import type { SimCard } from '@smsgw/contract/link/event'
import type { ModemHealth } from '../modems/modem-health.ts'
import { telemetrySample } from '../modems/telemetry.ts'

/** How an agent is: plain JSON, without texts, and of numbers no more than their ends. */
export interface AgentStatus {
  readonly version: string
  readonly pid: number
  readonly upMs: number
  readonly link: LinkStatus
  readonly queue: {
    /** Taken over and not ended. */
    readonly open: number
    /** Of these, not begun. */
    readonly waiting: number
    /** Of these, nobody knows whether they went out. */
    readonly inDoubt: number
  }
  readonly journal: { readonly id: string; readonly fsyncMs: number; readonly trouble: string | undefined }
  readonly clock: { readonly trusted: boolean; readonly systemErrorMs: number | undefined }
  readonly modems: readonly ModemStatus[]
  readonly sims: readonly SimStatus[]
  /** What is plugged in and could be a modem, and cannot be used as it is: lines that say what to do. */
  readonly unusable: readonly string[]
}

export interface LinkStatus {
  readonly phase: string
  readonly relay: string
  /** Why there is no connection. */
  readonly trouble: string | undefined
  readonly deviceId: string | undefined
  /** Events that the relay does not have yet. */
  readonly eventsWaiting: number
}

export type ModemStatus = ReturnType<typeof telemetrySample>['modems'][number]

export interface SimStatus {
  readonly simNumber: number
  readonly state: string
  readonly carrierName: string | undefined
  readonly numberEnd: string | undefined
}

export function modemStatuses(modems: readonly ModemHealth[]): readonly ModemStatus[] {
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
