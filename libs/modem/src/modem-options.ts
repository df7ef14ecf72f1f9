import type { MessageBearer } from './commands/message-settings.ts'

/** How a modem is driven. All of it may be left out. */
export interface ModemOptions {
  /** PIN of the SIM; entered when the SIM asks for it and more than one try is left. */
  readonly simPin?: string
  /** Whether the PIN may be entered, once, when the modem cannot tell how many tries are left. Default false. */
  readonly enterPinUnseen?: boolean
  /** `12d1:1506`, where the port belongs to a USB device. */
  readonly usb?: string
  /** The number of the service centre, `+491710760000`: written to a SIM that has none. */
  readonly serviceCentre?: string
  /** Which way messages leave; some networks take them over one of them alone. Default: as the modem is set. */
  readonly messageBearer?: MessageBearer
  /** Pause between a result and the next command, for firmware that needs one. Default none. */
  readonly gapMs?: number
  /** How long it may take until the modem answers at all. */
  readonly contactLimitMs?: number
  /** How often a SIM that is busy or absent is asked again. */
  readonly simPollMs?: number
  readonly simBusyLimitMs?: number
  /** How long a modem that has just started may say that there is no SIM before it is believed. */
  readonly simAbsentLimitMs?: number
  /** How long until a modem that could not be set up is tried again. */
  readonly retryMs?: number
  /** How often registration is asked for until there is one, and from then on. */
  readonly registrationPollMs?: number
  readonly registeredPollMs?: number
  /** How often memories are looked through, since what tells of arrivals gets lost; and where nothing tells of them. */
  readonly sweepMs?: number
  readonly sweepWithoutIndicationsMs?: number
  readonly signalMs?: number
  /** How long an answer to USSD may take. */
  readonly ussdAnswerLimitMs?: number
}

/** What has a default. */
export type ModemDefaults = Required<Omit<ModemOptions, 'simPin' | 'usb' | 'serviceCentre' | 'messageBearer'>>

export const defaultModemOptions: ModemDefaults = {
  enterPinUnseen: false,
  gapMs: 0,
  contactLimitMs: 60_000,
  simPollMs: 1000,
  simBusyLimitMs: 60_000,
  simAbsentLimitMs: 10_000,
  retryMs: 60_000,
  registrationPollMs: 5000,
  registeredPollMs: 60_000,
  sweepMs: 30_000,
  sweepWithoutIndicationsMs: 5000,
  signalMs: 30_000,
  ussdAnswerLimitMs: 120_000,
}
