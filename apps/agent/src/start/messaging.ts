import type { AgentInput } from '@smsgw/link/agent/state'
import type { DeviceKeys } from '../encryption/device-keys.ts'
import type { InboxKey } from '../receiving/encrypted-event.ts'
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
  /** Must be called when the clock becomes trusted or untrusted, or was set. */
  readonly timeChanged: () => void
}

export interface MessageKeys {
  readonly deviceKeys: DeviceKeys
  /** The key of the account, with which received messages are encrypted. */
  readonly inboxKey: () => InboxKey | undefined
}

/** Creates the sender and the receiver. */
export function createMessaging(
  options: AgentOptions,
  time: TrustedClock,
  { deviceKeys, inboxKey }: MessageKeys,
  { journal }: AgentStore,
  { journalWrites, onError }: AgentProblems,
  toLink: (input: AgentInput) => void,
): Messaging {
  const { clock, sending: sendingOptions } = options
  const sender = new Sender({
    journal,
    clock,
    time,
    random: Math.random,
    limits: { ...defaultSendingLimits, ...sendingOptions.limits },
    opener: new FieldOpener({ passphrase: sendingOptions.passphrase, deviceKeys }),
    journalWatch: journalWrites(),
    onReference: (reference) => receiver.tryReports(reference),
    onProblem: onError,
    onOpenChanged: (open) => toLink({ kind: 'queue-changed', queue: { open } }),
  })
  const receiver = new InboundReceiver({
    journal,
    clock,
    time,
    inboxKey,
    onRecentReport: (iccid, report, received) => sender.recentReport(iccid, report, received),
    onReport: (iccid, report) => sender.report(iccid, report),
    journalWatch: journalWrites(),
    onProblem: onError,
  })
  const timeChanged = () => {
    sender.timeChanged()
    receiver.settleWaiting().catch(onError)
    toLink({ kind: 'facts-changed', facts: { isClockSynchronised: time.now().trusted } })
  }
  return { time, sender, receiver, timeChanged }
}
