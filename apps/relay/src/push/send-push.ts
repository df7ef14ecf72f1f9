import type { PushContent } from '@smsgw/contract/live/push-event'
import type { CoreDeps } from '../core-deps.ts'
import type { GuardedClient, RequestOutcome } from '../webhooks/delivery/client/guarded-client.ts'
import { encryptPush } from './encrypt-push.ts'
import { type PushKeys, pushAuthorization } from './push-keys.ts'
import { openAuth, openEndpoint } from './subscription-secrets.ts'

export interface SendPushDeps extends Pick<CoreDeps, 'clock' | 'random' | 'box'> {
  readonly client: Pick<GuardedClient, 'post'>
  readonly keys: PushKeys
  readonly contact: string
}

interface Addressed {
  readonly endpointSealed: string
  readonly p256dh: string
  readonly authSealed: string
}

/** How long a push service keeps a notification for a browser that is not running. */
const TTL_SECONDS: Readonly<Record<PushContent['kind'], number>> = {
  'message.received': 86_400,
  'message.failed': 86_400,
  'device.offline': 14_400,
  test: 60,
}

/** Encrypts a notification and hands it to the push service of the browser (RFC 8030). */
export async function sendPush(
  { client, clock, random, box, keys, contact }: SendPushDeps,
  subscription: Addressed,
  content: PushContent,
  topic: string | undefined,
): Promise<RequestOutcome> {
  const endpoint = openEndpoint(box, subscription.endpointSealed)
  const browser = {
    p256dh: Buffer.from(subscription.p256dh, 'base64url'),
    auth: Buffer.from(openAuth(box, subscription.authSealed), 'base64url'),
  }
  const body = encryptPush(JSON.stringify(content), browser, random)
  const headers = {
    authorization: await pushAuthorization(keys, { endpoint, contact, now: clock.now() }),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(TTL_SECONDS[content.kind]),
    // Failures have a lower urgency, so a phone that saves power shows them later.
    urgency: content.kind === 'message.failed' ? 'normal' : 'high',
    ...(topic !== undefined && { topic }),
  }
  return client.post(endpoint, headers, body)
}
