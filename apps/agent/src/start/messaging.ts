import type { AgentInput } from '@smsgw/link/agent-state'
import { InboundReceiver } from '../receiving/inbound-receiver.ts'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { defaultSendingLimits } from '../sending/schedule/sending-settings.ts'
import { Sender } from '../sending/sender.ts'
import type { TrustedClock } from '../time/trusted-clock.ts'
import type { AgentOptions } from './agent-options.ts'
import type { AgentStore } from './agent-store.ts'
import type { AgentProblems } from './problem-log.ts'

export interface Messaging {
  readonly time: TrustedClock
  readonly sender: Sender
  readonly receiver: InboundReceiver
  /** The clock became trusted or untrusted, or was set. */
  readonly timeChanged: () => void
}

/** Creates the sender and the receiver. */
export function createMessaging(
  options: AgentOptions,
  time: TrustedClock,
  { journal }: AgentStore,
  { onJournalError, onError }: AgentProblems,
  toLink: (input: AgentInput) => void,
): Messaging {
  const { clock, sending } = options
  const sender = new Sender({
    journal,
    clock,
    time,
    chance: Math.random,
    limits: { ...defaultSendingLimits, ...sending.limits },
    opener: sending.passphrase === undefined ? undefined : new FieldOpener(sending.passphrase),
    onJournalTrouble: onJournalError,
    onReference: (reference) => receiver.tryReports(reference),
    onTrouble: onError,
    onOpenChanged: (open) => toLink({ kind: 'queue-changed', queue: { open } }),
  })
  const receiver = new InboundReceiver({
    journal,
    clock,
    time,
    onReport: (iccid, report) => sender.report(iccid, report),
    onJournalTrouble: onJournalError,
    onTrouble: onError,
  })
  const timeChanged = () => {
    sender.timeChanged()
    receiver.settleWaiting().catch(onError)
    toLink({ kind: 'facts-changed', facts: { isClockSynchronised: time.now().trusted } })
  }
  return { time, sender, receiver, timeChanged }
}
