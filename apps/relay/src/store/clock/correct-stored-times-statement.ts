import type { Database } from '../database.ts'

/**
 * Corrects stored times after the database's clock was set back by `backMs`, so that nothing waits for a wrong time. It
 * corrects the times of queues, webhook retries and pauses, notifications, notices to phones, last contacts and pairing
 * codes. Times that users set (`scheduleAt`, `validUntil`) are kept, and messages that wait for approval stay held. If
 * several relays detect the same change, only the first one changes rows, because it locks the row of the installation.
 */
export async function correctStoredTimes(database: Database, backMs: number): Promise<void> {
  await database.$transaction(async (statements) => {
    const isFirst = await statements.$executeRaw`
      UPDATE installation SET clock_set_back_at = now()
      WHERE clock_set_back_at IS NULL
        OR clock_set_back_at NOT BETWEEN now() - ${DONE_SECONDS}::int * interval '1 second' AND now()`
    if (isFirst === 0) return
    await statements.$executeRaw`
      UPDATE recipients r SET due_at = now() FROM messages m
      WHERE r.dispatched_journal IS NULL AND r.state = 'Pending' AND r.due_at > now() AND m.key = r.message_key
        AND (m.schedule_at IS NULL OR m.schedule_at <= now()) AND m.approval IS DISTINCT FROM 'pending'`
    await statements.$executeRaw`
      UPDATE webhook_deliveries
      SET next_attempt_at = greatest(now(), next_attempt_at - ${backMs}::float8 * interval '1 millisecond')
      WHERE state = 'waiting' AND next_attempt_at > now()`
    await statements.$executeRaw`
      UPDATE webhooks SET paused_until = paused_until - ${backMs}::float8 * interval '1 millisecond',
        served_until = least(served_until, now() + interval '30 seconds'),
        failing_since = least(failing_since, now()), failed_at = least(failed_at, now())
      WHERE greatest(paused_until, served_until, failing_since, failed_at) > now()`
    await statements.$executeRaw`
      UPDATE push_notifications SET created_at = least(created_at, now()),
        next_attempt_at = greatest(now(), next_attempt_at - ${backMs}::float8 * interval '1 millisecond')
      WHERE next_attempt_at > now()`
    await statements.$executeRaw`
      UPDATE phone_pushes SET next_attempt_at = now(), noticed_until = least(noticed_until, now()),
        streams_until = least(streams_until, now() + interval '30 seconds')
      WHERE greatest(next_attempt_at, noticed_until, streams_until) > now()`
    await statements.$executeRaw`
      UPDATE devices SET last_seen = now() WHERE last_seen > now()`
    await statements.$executeRaw`
      UPDATE relays SET renewed_at = now() WHERE renewed_at > now()`
    await statements.$executeRaw`
      UPDATE pairing_codes SET expires_at = expires_at - ${backMs}::float8 * interval '1 millisecond'
      WHERE created_at > now()`
  })
}

/**
 * For this time after a correction, times are not corrected again. All relays detect a changed clock within a few
 * seconds, and only the first of them may correct the times.
 */
const DONE_SECONDS = 10
