import { createHash } from 'node:crypto'
import type { PushEvent } from '@smsgw/contract/live/push-event'
import type { RawStatements } from '../store/raw-statements.ts'
import { storableText } from '../store/storable.ts'
import type { OutboxEvent } from '../webhooks/outbox/outbox-event.ts'
import { insertNotifications, type NewNotification } from './insert-notifications-statement.ts'

/**
 * Stores notifications of these events in the caller's transaction, for each browser that subscribed to them. Events
 * without browser notifications cost nothing. Returns the number of notifications.
 */
export async function enqueueNotifications(
  statements: RawStatements,
  accountId: string,
  events: readonly OutboxEvent[],
): Promise<number> {
  const notifications = notificationsOf(events)
  return notifications.length === 0 ? 0 : await insertNotifications(statements, accountId, notifications)
}

/** Returns the notifications of these events. A browser gets those to which it has subscribed. */
export function notificationsOf(events: readonly OutboxEvent[]): NewNotification[] {
  return events.flatMap((event) => storable(notificationOf(event)))
}

function notificationOf(event: OutboxEvent): NewNotification | undefined {
  if ('receivedAt' in event && 'isEncrypted' in event && event.isEncrypted) return received(event.sender, undefined)
  switch (event.event) {
    case 'sms:received':
      return received(event.sender, firstLine(event.message))
    case 'sms:data-received':
      return received(event.sender, undefined)
    case 'mms:received':
      return received(event.sender, event.subject === undefined ? undefined : firstLine(event.subject))
    case 'sms:failed': {
      const { recipient: about, messageId: subjectId } = event
      const kind = 'message.failed'
      return { kind, topic: topicOf(kind), about, text: undefined, subjectId, delayMs: FAILURES_TOGETHER_MS }
    }
    default:
      return undefined
  }
}

function storable(notification: NewNotification | undefined): NewNotification[] {
  if (notification === undefined) return []
  const { about, text } = notification
  return [{ ...notification, about: storableText(about), text: text === undefined ? undefined : storableText(text) }]
}

function received(sender: string, text: string | undefined): NewNotification {
  const kind = 'message.received'
  return { kind, topic: topicOf(kind, sender), about: sender, text, subjectId: undefined, delayMs: 0 }
}

/** If several recipients of a message fail within this time, they cause one notification. */
const FAILURES_TOGETHER_MS = 3_000

/**
 * Returns the topic of a kind of notifications. Notifications of one topic replace each other. Push services see the
 * topic, so it does not contain the number.
 */
function topicOf(kind: PushEvent, about = ''): string {
  return createHash('sha256').update(`${kind} ${about}`).digest('base64url').slice(0, 32)
}

const MOST_CHARACTERS = 120

/**
 * Returns the first line of a text for a notification, or undefined if it may contain a code or a link that signs
 * somebody in, because a locked screen shows notifications.
 */
export function firstLine(text: string): string | undefined {
  const line = text
    .split(/[\r\n\u2028\u2029]/)
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined || mayBeSecret(line)) return undefined
  const characters = [...line]
  return characters.length <= MOST_CHARACTERS ? line : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}

/**
 * Matches four digits or more, also in groups (`12-34-56`), capital letters mixed with digits (`G7K2QX`), other letters
 * mixed with digits in a longer word (`a7f3k9`), or a link, also without its scheme (`example.org/x`).
 */
function mayBeSecret(line: string): boolean {
  return (
    /\p{Nd}(?:[\s.-]?\p{Nd}){3}/u.test(line) ||
    /(?<![\p{L}\p{Nd}])(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{4,}(?![\p{L}\p{Nd}])/u.test(line) ||
    /(?<![\p{L}\p{Nd}])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{6,}(?![\p{L}\p{Nd}])/u.test(line) ||
    /\w:\/\/|\bwww\.|\p{L}\.\p{L}{2,}\/\S/iu.test(line)
  )
}
