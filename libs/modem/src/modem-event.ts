import type { NetworkTime } from './commands/network-time.ts'
import type { Registration } from './commands/registration.ts'
import type { Signal } from './commands/signal.ts'
import type { UssdAnswer } from './commands/ussd.ts'
import type { DialogueState } from './dialogue.ts'
import type { Incoming } from './incoming-message.ts'
import type { ModemState } from './modem-state.ts'
import type { ReceiverNews } from './receive.ts'
import type { Session } from './startup.ts'
import type { StorageGauge } from './storage-gauges.ts'
import type { LateOutcome } from './submission.ts'
import type { SubmitOutcome } from './submit.ts'

/** Everything a modem has to say, in the order it happened. */
export type ModemEvent =
  | { readonly kind: 'state'; readonly state: ModemState }
  /** Set up, for the first time or again. */
  | { readonly kind: 'started'; readonly session: Session }
  /** It said something that a modem says when it starts. */
  | { readonly kind: 'restarted'; readonly sign: string }
  | { readonly kind: 'incoming'; readonly incoming: Incoming }
  /** A message was sent, refused, or nobody knows: what `submit` resolves with. */
  | { readonly kind: 'submitted'; readonly id: string; readonly outcome: SubmitOutcome }
  /** The answer to a message whose outcome had been given as unknown. */
  | { readonly kind: 'late-result'; readonly id: string; readonly outcome: LateOutcome }
  | { readonly kind: 'registration'; readonly registered: boolean; readonly best: Registration | undefined }
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'storage'; readonly gauge: StorageGauge }
  /** From the network, unasked for or too late. */
  | { readonly kind: 'ussd'; readonly answer: UssdAnswer }
  | { readonly kind: 'network-time'; readonly time: NetworkTime }
  | { readonly kind: 'dialogue'; readonly state: DialogueState }
  /** Another unsolicited code, or a line that nothing is known about. */
  | { readonly kind: 'said'; readonly text: string; readonly known: boolean }
  | ReceiverNews
