import type { BatchEvent, ReceivedData, ReceivedEvent, ReceivedMms, ReceivedText } from '../webhooks/happened-event.ts'
import { payloadOf } from '../webhooks/payload.ts'

/** Under which event the stored messages of a kind are told together. */
export const batchEvents = {
  'sms:received': 'sms:batch:received',
  'sms:data-received': 'sms:batch:data-received',
  'mms:received': 'mms:batch:received',
} as const satisfies Record<ReceivedEvent['event'], BatchEvent['event']>

const MOST_MESSAGES = 100
const MOST_CHARACTERS = 64 * 1024

/**
 * Gathers messages into batches: one device and one kind in each, in order, and no more in one than a receiver takes in a
 * request. The same messages make the same batches.
 */
export class Batches {
  readonly #open = new Map<string, { messages: ReceivedEvent[]; characters: number }>()

  /** Gives those that are full. */
  add(received: readonly ReceivedEvent[]): BatchEvent[] {
    const full: BatchEvent[] = []
    for (const one of received) {
      const name = `${one.event} ${one.deviceId}`
      const characters = JSON.stringify(payloadOf(one)).length
      const open = this.#open.get(name)
      const fits = open && open.messages.length < MOST_MESSAGES && open.characters + characters <= MOST_CHARACTERS
      if (open && !fits) full.push(batchOf(open.messages))
      const messages = fits ? [...open.messages, one] : [one]
      this.#open.set(name, { messages, characters: (fits ? open.characters : 0) + characters })
    }
    return full
  }

  rest(): BatchEvent[] {
    const batches = [...this.#open.values()].map(({ messages }) => batchOf(messages))
    this.#open.clear()
    return batches
  }
}

/** All of one device and one kind. */
function batchOf(messages: readonly ReceivedEvent[]): BatchEvent {
  const [{ event, deviceId }] = messages as [ReceivedEvent]
  switch (event) {
    case 'sms:received':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedText[] }
    case 'sms:data-received':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedData[] }
    case 'mms:received':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedMms[] }
  }
}
