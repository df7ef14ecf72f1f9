// Inbound path, step 14: signs the request and judges the answer. Next: guarded-client.ts.

import { twilioReceivedEvents } from '@smsgw/contract/webhooks/twilio-events'
import type { Log } from '@smsgw/daemon/log/log'
import type { CoreDeps } from '../../core-deps.ts'
import { SIGNING_KEY } from '../../settings/change-settings.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { deliveryProblemText } from '../delivery-problem.ts'
import { openWebhookSecret } from '../webhook-secret.ts'
import type { ReceiverReply } from './client/exchange.ts'
import type { GuardedClient, RequestOutcome } from './client/guarded-client.ts'
import { deliveryBody, deliveryHeaders, signingKeys, type WebhookKeys } from './delivery-request.ts'
import { judgeOutcome, type Verdict } from './judge-outcome.ts'
import { kannelUrl } from './kannel-request.ts'
import type { DueDelivery } from './read-due-statement.ts'
import type { RecordedAttempt } from './record-attempts-statement.ts'
import type { DueReceiver } from './take-receivers-statement.ts'
import { twilioRequest, twilioSignature, twilioUrl } from './twilio-request.ts'

export interface AttemptDeps extends Pick<CoreDeps, 'clock' | 'random' | 'box'> {
  readonly client: Pick<GuardedClient, 'post' | 'get'>
  readonly log: Pick<Log, 'error'>
  readonly publicUrl?: string | undefined
  /**
   * Sends the replies in the answer to a received message in Twilio's format. If the function throws, or this relay is
   * killed, the function is called again with the next answer. Even then, each reply is sent only once. If the hourly
   * limit refused a reply, returns the reason for the delivery log.
   */
  readonly reply: (received: AnsweredMessage, answer: ReceiverReply) => Promise<string | undefined>
}

/** A received message that the receiver of a webhook has answered. */
export interface AnsweredMessage {
  readonly accountId: string
  readonly webhookId: string
  readonly messageId: string
}

export interface Attempted {
  readonly attempt: RecordedAttempt
  readonly verdict: Verdict
  /** The problem; undefined after a success. */
  readonly error: string
}

/** Makes one request and returns its result, or undefined if it was aborted because the relay is stopping. */
export async function attemptDelivery(
  deps: AttemptDeps,
  receiver: DueReceiver,
  delivery: DueDelivery,
): Promise<Attempted | undefined> {
  const startedAt = deps.clock.now()
  const startedAtMs = performance.now()
  const outcome = await send(deps, receiver, delivery, startedAt)
  if (outcome.kind === 'broken-off') return undefined
  const verdict = judgeOutcome(outcome, {
    attempts: delivery.attempts + 1,
    retries: receiver.retries ?? undefined,
    nowMs: deps.clock.now().getTime(),
    fraction: Buffer.from(deps.random.bytes(4)).readUInt32BE() / 2 ** 32,
  })
  const response =
    outcome.kind === 'replied'
      ? { status: outcome.reply.status, excerpt: shortened(outcome.reply.excerpt), error: outcome.refusedReply }
      : { status: undefined, excerpt: undefined, error: outcome.error }
  return {
    attempt: {
      key: delivery.key,
      version: delivery.version,
      event: delivery.event,
      startedAt,
      durationMs: Math.round(performance.now() - startedAtMs),
      url: requestUrl(receiver, delivery),
      address: outcome.address,
      state: verdict.state,
      pauseMs: verdict.pauseMs,
      ...response,
    },
    verdict,
    error: response.error ?? `HTTP ${response.status}`,
  }
}

type Sent =
  | Exclude<RequestOutcome, { kind: 'replied' }>
  | (Extract<RequestOutcome, { kind: 'replied' }> & { readonly refusedReply?: string | undefined })

async function send(deps: AttemptDeps, receiver: DueReceiver, delivery: DueDelivery, at: Date): Promise<Sent> {
  const { client, box, log } = deps
  try {
    if (receiver.format === 'kannel-dlr') return await client.get(requestUrl(receiver, delivery), KANNEL_HEADERS)
    if (receiver.format !== null) return await sendAsTwilio(deps, receiver, delivery)
    const body = deliveryBody(receiver.id, delivery)
    const unixSeconds = Math.floor(at.getTime() / 1000)
    const headers = deliveryHeaders(keysOf(box, receiver), { id: delivery.id, body, unixSeconds })
    return await client.post(receiver.url, headers, body)
  } catch (error) {
    log.error({ err: error, webhookKey: String(receiver.key) }, 'webhook request failed with an internal error')
    return { kind: 'failed', error: deliveryProblemText('internal_error'), address: undefined }
  }
}

/** The limit in bytes for the answer to a received message. Such an answer may contain replies. */
const ANSWER_BYTES = 65_536

async function sendAsTwilio(deps: AttemptDeps, receiver: DueReceiver, delivery: DueDelivery): Promise<Sent> {
  const { id, event, payload } = delivery
  const { accountId } = receiver
  const { publicUrl } = deps
  const { url, headers, body } = twilioRequest({ id, accountId, event, payload, url: receiver.url, publicUrl })
  const signature = twilioSignature(keysOf(deps.box, receiver).plain, { url, body })
  const signed = { ...headers, 'x-twilio-signature': signature }
  const mayReply = twilioReceivedEvents.some((received) => received === event)
  const outcome = await deps.client.post(url, signed, body, mayReply ? ANSWER_BYTES : undefined)
  if (!mayReply || outcome.kind !== 'replied' || outcome.reply.status > 299) return outcome
  if (!outcome.reply.isWhole) {
    const error = deliveryProblemText('reply_incomplete', { kib: ANSWER_BYTES / 1024 })
    return { kind: 'failed', error, address: outcome.address }
  }
  const { messageId } = payload as { readonly messageId: string }
  const answered = { accountId: receiver.accountId, webhookId: receiver.id, messageId }
  return { ...outcome, refusedReply: await deps.reply(answered, outcome.reply) }
}

function requestUrl({ format, url }: DueReceiver, { deviceId, payload }: DueDelivery): string {
  if (format === 'kannel-dlr') return kannelUrl({ deviceId, payload, url })
  return format === null ? url : twilioUrl(url, payload)
}

const KANNEL_HEADERS = { 'user-agent': 'smsgw', 'accept-encoding': 'identity' }

const EXCERPT_BYTES = 2_048

/** Shortens the text, without a partial character at its end. */
function shortened(text: string): string {
  const bytes = Buffer.from(text)
  return bytes.length <= EXCERPT_BYTES ? text : bytes.subarray(0, EXCERPT_BYTES).toString('utf8')
}

/** Keys are created once per receiver, because creating them takes long. */
const keysByReceiver = new WeakMap<DueReceiver, WebhookKeys>()

function keysOf(box: SecretBox, receiver: DueReceiver): WebhookKeys {
  const { secretSealed, previousSecretSealed, signingKeySealed } = receiver
  const keys =
    keysByReceiver.get(receiver) ??
    signingKeys({
      signingKey: signingKeySealed === null ? undefined : box.open(signingKeySealed, SIGNING_KEY),
      secret: openWebhookSecret(box, secretSealed),
      previousSecret: previousSecretSealed === null ? undefined : openWebhookSecret(box, previousSecretSealed),
    })
  keysByReceiver.set(receiver, keys)
  return keys
}
