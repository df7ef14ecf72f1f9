import type { MessageBearer } from './commands/message-settings.ts'

/** How a modem is driven. Every option may be left out. */
export interface ModemOptions {
  /** PIN of the SIM; entered when the SIM requires it and more than one attempt is left. */
  readonly simPin?: string
  /** Whether the PIN may be entered, once, when the modem does not report the attempts left. Default false. */
  readonly enterPinUnseen?: boolean
  /** `12d1:1506`, if the port belongs to a USB device. */
  readonly usb?: string
  /** The number of the service centre, `+491710760000`: written to a SIM that has none. */
  readonly serviceCentre?: string
  /** The bearer for messages; some networks accept them over only one. Default: the setting of the modem. */
  readonly messageBearer?: MessageBearer
  /** Pause between a result and the next command, for firmware that needs one. Default none. */
  readonly gapMs?: number
  /** The limit until the modem answers at all. */
  readonly contactLimitMs?: number
  /** The interval between checks of a SIM that is busy or absent. */
  readonly simPollMs?: number
  readonly simBusyLimitMs?: number
  /** A modem that has just started may report a missing SIM for this long before that is believed. */
  readonly simAbsentLimitMs?: number
  /** The delay before setup is tried again after a failure. */
  readonly retryMs?: number
  /** The intervals between registration checks, before and after the modem is registered. */
  readonly registrationPollMs?: number
  readonly registeredPollMs?: number
  /** The intervals between sweeps of the memories, with and without indications: unsolicited codes get lost. */
  readonly sweepMs?: number
  readonly sweepWithoutIndicationsMs?: number
  readonly signalMs?: number
  /** The limit for an answer to USSD. */
  readonly ussdAnswerLimitMs?: number
}

/** The options that have a default. */
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
