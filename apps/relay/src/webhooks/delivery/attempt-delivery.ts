import type { Log } from '@smsgw/daemon/log'
import type { Clock } from '../../clock.ts'
import type { Random } from '../../random.ts'
import { SIGNING_KEY } from '../../settings/change-settings.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { openWebhookSecret } from '../webhook-secret.ts'
import type { GuardedClient, Outcome } from './client/guarded-client.ts'
import { deliveryBody, deliveryHeaders, type SigningKeys, signingKeys } from './delivery-request.ts'
import { judgeOutcome, type Verdict } from './judge-outcome.ts'
import type { DueDelivery } from './read-due-statement.ts'
import type { RecordedAttempt } from './record-attempts-statement.ts'
import type { Receiver } from './take-receivers-statement.ts'

export interface AttemptDeps {
  readonly client: Pick<GuardedClient, 'post'>
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly log: Pick<Log, 'error'>
}

export interface Attempted {
  readonly attempt: RecordedAttempt
  readonly verdict: Verdict
  /** What went wrong, if anything did. */
  readonly error: string
}

/** Makes one request and returns its result, or undefined if it was aborted because the relay is stopping. */
export async function attemptDelivery(
  deps: AttemptDeps,
  receiver: Receiver,
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
      ? { status: outcome.reply.status, excerpt: outcome.reply.excerpt, error: undefined }
      : { status: undefined, excerpt: undefined, error: outcome.error }
  return {
    attempt: {
      key: delivery.key,
      version: delivery.version,
      startedAt,
      durationMs: Math.round(performance.now() - startedAtMs),
      url: receiver.url,
      address: outcome.address,
      state: verdict.state,
      pauseMs: verdict.pauseMs,
      ...response,
    },
    verdict,
    error: response.error ?? `HTTP ${response.status}`,
  }
}

async function send(
  { client, box, log }: AttemptDeps,
  receiver: Receiver,
  delivery: DueDelivery,
  at: Date,
): Promise<Outcome> {
  try {
    const body = deliveryBody(receiver.id, delivery)
    const unixSeconds = Math.floor(at.getTime() / 1000)
    const headers = deliveryHeaders(keysOf(box, receiver), { id: delivery.id, body, unixSeconds })
    return await client.post(receiver.url, headers, body)
  } catch (error) {
    log.error({ err: error, webhookKey: String(receiver.key) }, 'webhook request failed with an internal error')
    return { kind: 'failed', error: 'internal error of the relay: see its log', address: undefined }
  }
}

/** Keys are built once per receiver, because building them is expensive. */
const keysByReceiver = new WeakMap<Receiver, SigningKeys>()

function keysOf(box: SecretBox, receiver: Receiver): SigningKeys {
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
