/** How a modem is driven. Every option may be left out. */
export interface ModemOptions {
  /** PIN of the SIM; entered when the SIM requires it and more than one attempt is left. */
  readonly simPin?: string
  /** `12d1:1506`, if the port belongs to a USB device. */
  readonly usb?: string
  /** The interval between checks of a SIM that is busy or absent. */
  readonly simPollMs?: number
  readonly simBusyLimitMs?: number
  /** The interval between registration checks while the modem is registered. */
  readonly registeredPollMs?: number
  /** The interval between sweeps of the memories, which also find messages whose indication was lost. */
  readonly sweepMs?: number
  readonly signalMs?: number
  /** The time zone of this machine, in which a HiLink stick is assumed to show dates. Default: UTC. */
  readonly wallClock?: WallClock
  /** The interval between checks of a HiLink stick, which announces nothing. */
  readonly stickPollMs?: number
  /** Whether incoming calls are hung up. */
  readonly hangUpCalls?: boolean
}

export interface WallClock {
  readonly epochMs: () => number
  /** Local time minus UTC at that time, in quarters of an hour. */
  readonly zoneQuartersAt: (epochMs: number) => number
}

/** The options that have a default. */
export type ModemDefaults = Required<Omit<ModemOptions, 'simPin' | 'usb' | 'serviceCentre' | 'messageBearer'>>

export const defaultModemOptions: ModemDefaults = {
  simPollMs: 1000,
  simBusyLimitMs: 60_000,
  registeredPollMs: 60_000,
  sweepMs: 30_000,
  signalMs: 30_000,
  wallClock: { epochMs: () => 0, zoneQuartersAt: () => 0 },
  stickPollMs: 3_000,
  hangUpCalls: false,
}
