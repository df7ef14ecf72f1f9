import { type AgentEvent, agentEvent } from '@smsgw/contract/link/event'
import { problemOf } from './frame-text.ts'

/** An event as it came, or why it cannot be read: that is to be logged and acknowledged, for it will not get better. */
export type ReceivedEvent = { readonly event: AgentEvent } | { readonly problem: string }

export function receiveEvent(value: unknown): ReceivedEvent {
  const parsed = agentEvent.safeParse(value)
  return parsed.success ? { event: parsed.data } : { problem: problemOf(parsed.error.issues) }
}
