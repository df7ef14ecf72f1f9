import type { ModemNumber } from './commands/identity.ts'
import type { Memory } from './commands/messages/message-storage.ts'
import type { NetworkTime } from './commands/network/network-time.ts'
import type { OperatorChoice } from './commands/network/operator-selection.ts'
import type { Signal } from './commands/network/signal.ts'
import type { Query, QueryAnswer } from './commands/query.ts'
import type { PinTries } from './commands/sim/pin-counter.ts'
import type { UssdOutcome } from './commands/ussd/ussd-session.ts'
import type { DialogueTelemetry } from './dialogue/dialogue-telemetry.ts'
import type { ResynchroniseOutcome } from './dialogue/resynchronisation.ts'
import type { ModemState } from './modem-state.ts'
import type { Profile } from './profiles/profile.ts'
import type { Deletion } from './receive/message-slots.ts'
import type { Sweep } from './receive/receive.ts'
import type { StorageGauge } from './receive/storage-gauges.ts'
import type { OutgoingPdu, OutgoingText, SubmitOptions, Submitted } from './send/submit.ts'
import type { ModemSession, StartupOutcome } from './setup/startup.ts'

/**
 * A modem, whether it is driven by AT commands (`Modem`) or through a web interface (`HilinkModem`). Reports events as
 * `ModemEvent`s. The methods never reject because of a fault of the modem.
 */
export interface ModemDriver {
  readonly state: ModemState
  /** Undefined until the modem is set up. */
  readonly session: ModemSession | undefined
  /** The form of message that `submit` accepts: texts, if the modem encodes the PDUs itself, otherwise PDUs. */
  readonly sends: 'pdu' | 'text'
  readonly storage: readonly StorageGauge[]
  readonly telemetry: ModemTelemetry

  /** Sets the modem up. Resolves when the setup has ended. Registration may take longer and is reported as an event. */
  start(): Promise<StartupOutcome>
  /** Stops permanently. */
  stop(why?: string): void
  /** Sends a message in the form that `sends` names; a message in the other form is not sent. */
  submit(message: OutgoingPdu | OutgoingText, options: SubmitOptions): Promise<Submitted>
  /** Reads all memories; `again` also reports messages that were reported before. */
  sweep(options?: { readonly again?: boolean }): Promise<Sweep>
  /** Deletes a message that the caller has stored, if the slot still contains this PDU. */
  deleteMessage(slot: { readonly memory: Memory; readonly index: number }, pdu: string): Promise<Deletion>
  /** How many deletions to request at the same time, because the modem carries them out together. */
  readonly deletionsAtOnce: number
  /** Acknowledges a directly delivered message that is stored. Returns false if the modem refused. */
  acknowledge(): Promise<boolean>
  ussd(text: string): Promise<UssdOutcome>
  cancelUssd(): Promise<void>
  signal(): Promise<Signal | undefined>

  /** The IMEI or the serial number, also before setup. Undefined if the modem does not answer. */
  readNumber(): Promise<ModemNumber | undefined>
  /** The name of the network, if the modem is registered. */
  readOperator(): Promise<string | undefined>
  readClock(): Promise<NetworkTime | undefined>
  /** Registers with this operator, now and in each later session. Undefined if the interface cannot do this. */
  readonly useOperator?: (choice: OperatorChoice) => void
  readPinTries(): Promise<PinTries | undefined>
  /** Runs any other query. Undefined if the modem takes no AT commands. */
  readonly ask?: <T>(query: Query<T>) => Promise<QueryAnswer<T>>

  resynchronise(): Promise<ResynchroniseOutcome>
  /** Switches the radio off and on, and then sets the modem up again. */
  restartRadio(): Promise<StartupOutcome>
  /** Restarts the modem. The request is also written to a modem that does not answer. */
  reset(profile?: Profile): Promise<void>
  /** Sets a corrected PIN and sets the modem up again. */
  useSimPin(pin: string): Promise<StartupOutcome>
}

export type ModemTelemetry = DialogueTelemetry & {
  readonly submissionsWaiting: number
  readonly broadcastsIgnored: number
}
