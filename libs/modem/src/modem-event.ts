import type { NetworkTime } from './commands/network/network-time.ts'
import type { OperatorSelection } from './commands/network/operator-selection.ts'
import type { Registration } from './commands/network/registration.ts'
import type { Signal } from './commands/network/signal.ts'
import type { UssdResponse } from './commands/ussd/ussd.ts'
import type { DialogueState } from './dialogue/dialogue-telemetry.ts'
import type { ModemState } from './modem-state.ts'
import type { IncomingCall } from './receive/incoming-calls.ts'
import type { Incoming } from './receive/incoming-message.ts'
import type { ReceiverEvent } from './receive/receive.ts'
import type { StorageGauge } from './receive/storage-gauges.ts'
import type { LateOutcome } from './send/submission.ts'
import type { SubmitOutcome } from './send/submit.ts'
import type { ModemSession } from './setup/startup.ts'

/** The events of a modem, in the order in which they happened. */
export type ModemEvent =
  | { readonly kind: 'state'; readonly state: ModemState }
  /** The modem has been set up, for the first time or again. */
  | { readonly kind: 'started'; readonly session: ModemSession }
  /** The modem sent a line that only a starting modem sends. */
  | { readonly kind: 'restarted'; readonly sign: string }
  | { readonly kind: 'incoming'; readonly incoming: Incoming }
  /** The outcome of a submission, which is also the result of `submit`. */
  | { readonly kind: 'submitted'; readonly id: string; readonly outcome: SubmitOutcome }
  /** The result of a submission, received after its outcome was reported as unknown. */
  | { readonly kind: 'late-result'; readonly id: string; readonly outcome: LateOutcome }
  | { readonly kind: 'registration'; readonly registered: boolean; readonly best: Registration | undefined }
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'storage'; readonly gauge: StorageGauge }
  /** A USSD message that the network started, or an answer that arrived too late. */
  | { readonly kind: 'ussd'; readonly answer: UssdResponse }
  | { readonly kind: 'network-time'; readonly time: NetworkTime }
  /** The operator of `useOperator` was selected, or could not be selected. */
  | { readonly kind: 'operator-selection'; readonly selection: OperatorSelection }
  /** The modem rings; reported once for each call. */
  | { readonly kind: 'call'; readonly call: IncomingCall }
  | { readonly kind: 'dialogue'; readonly state: DialogueState }
  /** Any other unsolicited code, or a line that no table lists. */
  | { readonly kind: 'said'; readonly text: string; readonly known: boolean }
  | ReceiverEvent
