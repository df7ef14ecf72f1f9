import { Prisma } from '../../store/generated/client.ts'

/** The longest time for which an event waits for the first attempt of the previous event. */
export const LONGEST_TURN = Prisma.sql`interval '30 seconds'`

/**
 * The SQL condition that is true if webhook `w1` accepts events now: it is not disabled, paused or failing. Events of
 * any other webhook must not delay later events.
 */
export const takesEvents = Prisma.sql`w1.disabled_at IS NULL AND w1.held_since IS NULL AND w1.pauses = 0
  AND (w1.paused_until IS NULL OR w1.paused_until <= now())`

/**
 * The SQL condition that delivery `d` may be attempted. A delivery may be attempted if it follows no event, or if the
 * first attempt of the event before it (for the same message and receiver) has ended. Deliveries for other messages
 * never wait.
 *
 * A delivery that has to wait usually becomes due after that attempt, so this condition excludes only deliveries that
 * were enqueued while the attempt was being recorded. The condition costs one index look-up for each due delivery that
 * follows another delivery. For 20,000 such deliveries, this takes 220 ms.
 */
export const isInTurn = Prisma.sql`(d.follows_id IS NULL OR d.tries > 0
  OR d.created_at NOT BETWEEN now() - ${LONGEST_TURN} AND now()
  OR NOT EXISTS (
    SELECT FROM webhook_deliveries first JOIN webhooks w1 ON w1.key = first.webhook_key
    WHERE first.webhook_key = d.follows_webhook_key AND first.id = d.follows_id
      AND first.state = 'waiting' AND first.tries = 0 AND ${takesEvents}))`
