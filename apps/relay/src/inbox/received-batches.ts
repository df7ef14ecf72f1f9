import { payloadOf } from '../webhooks/outbox/event-payload.ts'
import type {
  BatchEvent,
  ReceivedData,
  ReceivedEvent,
  ReceivedMms,
  ReceivedMmsContent,
  ReceivedText,
} from '../webhooks/outbox/outbox-event.ts'

/** The batch event of each kind of received message. */
export const batchEvents = {
  'sms:received': 'sms:batch:received',
  'sms:data-received': 'sms:batch:data-received',
  'mms:received': 'mms:batch:received',
  'mms:downloaded': 'mms:batch:downloaded',
} as const satisfies Record<ReceivedEvent['event'], BatchEvent['event']>

const MOST_MESSAGES = 100
const MOST_CHARACTERS = 64 * 1024

/**
 * Groups received messages into batches. A batch contains messages of one device and one kind, in their order, and
 * never exceeds the size that receivers accept. The same messages always result in the same batches.
 */
export class ReceivedBatches {
  readonly #open = new Map<string, { messages: ReceivedEvent[]; characters: number }>()

  /** Adds messages and returns the batches that became full. */
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

/** Builds a batch of messages of one device and one kind. */
function batchOf(messages: readonly ReceivedEvent[]): BatchEvent {
  const [{ event, deviceId }] = messages as [ReceivedEvent]
  switch (event) {
    case 'sms:received':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedText[] }
    case 'sms:data-received':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedData[] }
    case 'mms:received':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedMms[] }
    case 'mms:downloaded':
      return { event: batchEvents[event], deviceId, messages: messages as ReceivedMmsContent[] }
  }
}
