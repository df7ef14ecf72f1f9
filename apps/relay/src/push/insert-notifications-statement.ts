import type { PushEvent } from '@smsgw/contract/live/push-event'
import type { RawStatements } from '../store/raw-statements.ts'

export interface NewNotification {
  readonly kind: PushEvent
  /** The topic. Notifications of one topic replace each other. */
  readonly topic: string
  /** The phone number, or the name of the device. */
  readonly about: string
  /** The first line of the message text. */
  readonly text: string | undefined
  /** The id of the failed message or of the device. */
  readonly subjectId: string | undefined
  readonly delayMs: number
}

/**
 * Stores notifications for each subscription to them. Does not check whether the subscriptions are still valid, because
 * this is checked when notifications are sent. Takes no locks, because it runs in the transactions that store messages.
 */
export function insertNotifications(
  statements: RawStatements,
  accountId: string,
  notifications: readonly NewNotification[],
): Promise<number> {
  const column = <T>(of: (notification: NewNotification) => T) => notifications.map(of)
  return statements.$executeRaw`
    INSERT INTO push_notifications (account_id, subscription_id, kind, topic, about, text, subject_id, next_attempt_at)
    SELECT p.account_id, p.id, n.kind, n.topic, n.about, CASE WHEN p.shows_text THEN n.text END, n.subject_id,
      now() + n.delay_ms * interval '1 millisecond'
    FROM unnest(
      ${column(({ kind }) => kind as string)}::text[], ${column(({ topic }) => topic)}::text[],
      ${column(({ about }) => about)}::text[], ${column(({ text }) => text ?? null)}::text[],
      ${column(({ subjectId }) => subjectId ?? null)}::text[], ${column(({ delayMs }) => delayMs)}::int[]
    ) WITH ORDINALITY AS n (kind, topic, about, text, subject_id, delay_ms, place)
    JOIN push_subscriptions p ON p.account_id = ${accountId} AND n.kind = ANY (p.events)
    ORDER BY n.place`
}
