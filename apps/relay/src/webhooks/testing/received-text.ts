import { localTimeOf } from '../outbox/local-time.ts'
import type { ReceivedText } from '../outbox/outbox-event.ts'

/** An event for a received message. */
export function receivedText(messageId: string): ReceivedText {
  return {
    event: 'sms:received',
    deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW',
    messageId,
    sender: '+12025550123',
    recipient: null,
    simNumber: 1,
    receivedAt: localTimeOf('2026-03-01T15:46:11+07:00'),
    message: `Zürich, ${messageId} 👍`,
  }
}
