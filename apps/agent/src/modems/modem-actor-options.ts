import type { Clock } from '@smsgw/modem/clock'
import type { ModemNumber } from '@smsgw/modem/commands/identity'
import type { OperatorChoice } from '@smsgw/modem/commands/network/operator-selection'
import type { UssdResponse } from '@smsgw/modem/commands/ussd/ussd'
import type { ModemOptions } from '@smsgw/modem/modem-options'
import type { OpenedPort, OpenResult, PowerCycle } from '@smsgw/modem/recovery/runner'
import type { RecoveryOptions } from '@smsgw/modem/recovery/state'
import type { PinMemory } from '@smsgw/modem/setup/pin-memory'
import type { ModemListener } from './modem-actor.ts'

export interface ModemActorOptions {
  /** The address that is used until a port is opened. */
  readonly address: string
  readonly clock: Clock
  /** Opens this modem at its current place. */
  readonly open: () => Promise<OpenAnswer>
  readonly pinMemory: PinMemory
  readonly registration: ModemRegistration
  readonly sims: SimSettings
  /** Called for a USSD text that the network sent without a request or too late. */
  readonly onUssd: (simNumber: number, answer: UssdResponse) => void
  readonly listener: ModemListener
  readonly tuning?: ModemTuning | undefined
  /** Returns how this modem is switched off and on, or undefined if the settings do not say how. */
  readonly powerCycle?: () => PowerCycle | undefined
}

/** What the registry knows about this modem. */
export interface ModemRegistration {
  /**
   * Returns false if the IMEI or serial number belongs to another modem. Otherwise calls `identified` with the SIM
   * number before it returns true.
   */
  readonly confirm: (number: ModemNumber) => boolean
  /** The id of this modem, once it is identified. */
  readonly id: () => string | undefined
  /** Returns the ICCID of the previous card in this modem, if the card was changed. */
  readonly previousCard: (iccid: string) => string | undefined
  /** True if the settings say that this port leads to a virtual modem. */
  readonly isEmulatedPort: (address: string) => boolean
  readonly emulationSeen: (isEmulated: boolean) => void
  /** True if this modem is virtual; undefined while this is not known. */
  readonly isEmulated: () => boolean | undefined
  /** True if this modem is virtual and must not send, because this device has a real modem. */
  readonly isHeldBack: () => boolean
}

/** The settings `SIM_<n>_PIN`, `SIM_<n>_NUMBER`, `SIM_<n>_OPERATOR` and `SEND_WHILE_ROAMING`. */
export interface SimSettings {
  readonly pinOf: (simNumber: number) => string | undefined
  /** True if `SIM_<n>_PIN` is set, so that a saved PIN is not used. */
  readonly isPinSet?: ((simNumber: number) => boolean) | undefined
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  /** If undefined, the modem keeps its own setting. */
  readonly operatorOf?: ((simNumber: number) => OperatorChoice | undefined) | undefined
  /** Default: true. */
  readonly sendWhileRoaming?: boolean | undefined
}

export interface ModemTuning {
  readonly modem?: ModemOptions
  readonly recovery?: Partial<RecoveryOptions>
}

/** The opened port, and the address at which the modem was found. */
export type OpenAnswer = Exclude<OpenResult, OpenedPort> | OpenedModem

export type OpenedModem = OpenedPort & {
  readonly address: string
  /** The address of the second command port of the modem. */
  readonly secondAddress?: string | undefined
}
