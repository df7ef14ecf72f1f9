import type { WebLogin } from './hilink/web-session.ts'

/** Options of the driver. Every option may be left out. */
export interface ModemOptions {
  /** PIN of the SIM. Entered when the SIM requires the PIN and more than one attempt is left. */
  readonly simPin?: string
  /** `12d1:1506`, if the port belongs to a USB device. */
  readonly usb?: string
  /** The interval between checks of a busy or absent SIM. */
  readonly simPollMs?: number
  readonly simBusyLimitMs?: number
  /** The interval between registration checks while the modem is registered. */
  readonly registeredPollMs?: number
  /** The interval between sweeps of the memories, which also find messages whose indication was lost. */
  readonly sweepMs?: number
  readonly signalMs?: number
  /** The time zone of this machine. A HiLink stick is assumed to show dates in this time zone. Default: UTC. */
  readonly wallClock?: WallClock
  /** The interval between checks of a HiLink stick, which does not announce messages. */
  readonly stickPollMs?: number
  /** True if another program, such as ModemManager, uses another port of the same modem. */
  readonly isShared?: boolean
  /** True if the driver hangs up incoming calls. */
  readonly hangUpCalls?: boolean
  /** The login to the web interface of a HiLink stick. */
  readonly webLogin?: WebLogin
}

export interface WallClock {
  readonly epochMs: () => number
  /** Returns the difference between local time and UTC at `epochMs`, in quarters of an hour. */
  readonly zoneQuartersAt: (epochMs: number) => number
}

/** The options, including the defaults. */
export type ModemDefaults = Required<
  Omit<ModemOptions, 'simPin' | 'usb' | 'webLogin' | 'serviceCentre' | 'messageBearer'>
>

export const defaultModemOptions: ModemDefaults = {
  simPollMs: 1000,
  simBusyLimitMs: 60_000,
  registeredPollMs: 60_000,
  sweepMs: 30_000,
  signalMs: 30_000,
  wallClock: { epochMs: () => 0, zoneQuartersAt: () => 0 },
  stickPollMs: 3_000,
  hangUpCalls: false,
  isShared: false,
}
