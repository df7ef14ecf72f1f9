import { parsedJson } from '@smsgw/contract/fields/json'
import { z } from 'zod'
import type { GuardedClient } from '../../webhooks/delivery/client/guarded-client.ts'
import type { PhoneNotice } from '../streams/phone-stream.ts'
import type { FcmAccess } from './fcm-access.ts'

export type NoticeOutcome =
  | { readonly kind: 'sent' }
  /** The app was removed, or it has another token now. */
  | { readonly kind: 'unregistered' }
  /** Sending the same request again would not help. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfter: string | undefined }
  /** The request was aborted, because this relay is stopping. */
  | { readonly kind: 'broken-off' }

export interface SendNoticeDeps {
  readonly client: Pick<GuardedClient, 'post'>
  readonly access: FcmAccess
  readonly projectId: string
  /** The URL of FCM: `https://fcm.googleapis.com`, except in tests. */
  readonly origin: string
}

/** How long FCM keeps a notice. A phone that was off for a longer time requests its work when it starts. */
const TTL = '86400s'
const MOST_BYTES = 8_192

const fcmError = z.object({
  error: z.object({ details: z.array(z.looseObject({ errorCode: z.string().optional() })).optional() }),
})

/** Sends one notice to a phone as a data message. The app reads the message like a notice of the event stream. */
export async function sendNotice(
  { client, access, projectId, origin }: SendNoticeDeps,
  pushToken: string,
  notice: PhoneNotice,
): Promise<NoticeOutcome> {
  const granted = await access.get()
  if (granted.kind === 'broken-off') return granted
  if (granted.kind === 'failed') return { kind: 'failed', reason: granted.reason, retryAfter: undefined }
  const outcome = await client.post(
    `${origin}/v1/projects/${projectId}/messages:send`,
    { authorization: `Bearer ${granted.token}`, 'content-type': 'application/json' },
    JSON.stringify({ message: messageOf(pushToken, notice) }),
    MOST_BYTES,
  )
  if (outcome.kind === 'broken-off') return outcome
  if (outcome.kind === 'failed') return { kind: 'failed', reason: outcome.error, retryAfter: undefined }
  const { status, excerpt, retryAfter } = outcome.reply
  if (status >= 200 && status <= 299) return { kind: 'sent' }
  const code = errorCodeOf(excerpt)
  const reason = `FCM answered ${status}${code === undefined ? '' : ` ${code}`}`
  if (status === 404 && code === 'UNREGISTERED') return { kind: 'unregistered' }
  if (status === 401) access.forget(granted.token)
  else if (status >= 400 && status <= 499 && status !== 429) return { kind: 'refused', reason }
  return { kind: 'failed', reason, retryAfter }
}

function messageOf(token: string, notice: PhoneNotice) {
  const details = 'data' in notice ? notice.data : null
  return {
    token,
    data: { event: notice.event, data: JSON.stringify(details) },
    android: {
      priority: 'HIGH',
      ttl: TTL,
      // A phone that was off gets only one of several equal notices.
      ...(details === null && { collapse_key: notice.event }),
    },
  }
}

function errorCodeOf(excerpt: string): string | undefined {
  const parsed = fcmError.safeParse(parsedJson(excerpt))
  const codes = parsed.success ? (parsed.data.error.details ?? []).map(({ errorCode }) => errorCode) : []
  return codes.find((code) => code !== undefined && /^[A-Z_]{1,40}$/.test(code))
}
