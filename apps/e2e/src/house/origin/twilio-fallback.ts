// Makes the requests of the published fallback for Twilio: it sends a message that Twilio could not deliver, with the
// SID of that message as its id, and repeats the request after errors.
import { setTimeout as sleep } from 'node:timers/promises'
import { OriginApiError, type OriginClient } from './origin-client.ts'

export interface UndeliveredMessage {
  readonly sid: string
  readonly to: string
  readonly body: string
}

/** The fallback gives up a message after this time. */
const JOB_LIMIT_MS = 15_000
const FIRST_PAUSE_MS = 500
const PAUSE_FACTOR = 1.5

/** The default of `SMSGATE__TIMEOUT` is `1s` for each request. */
export const FALLBACK_TIMEOUT_MS = 1_000

/**
 * Returns `sent`, `refused` if the gateway refused the message, or `given up`. A conflict means that an earlier request
 * was accepted. Network errors, and answers with 500 and above, are repeated with growing pauses.
 */
export async function sendFallback(
  client: OriginClient,
  { sid, to, body }: UndeliveredMessage,
  jobLimitMs = JOB_LIMIT_MS,
): Promise<'sent' | 'refused' | 'given up'> {
  const beganAt = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= PAUSE_FACTOR) {
    try {
      await client.send({ id: sid, message: body, phoneNumbers: [to] })
      return 'sent'
    } catch (error) {
      if (error instanceof OriginApiError && error.status === 409) return 'sent'
      if (error instanceof OriginApiError && error.status < 500) return 'refused'
    }
    if (performance.now() - beganAt + pauseMs > jobLimitMs) return 'given up'
    await sleep(pauseMs)
  }
}
