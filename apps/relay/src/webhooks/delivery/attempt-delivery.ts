import type { Log } from '@smsgw/daemon/log'
import type { Clock } from '../../clock.ts'
import type { Random } from '../../random.ts'
import { SIGNING_KEY } from '../../settings/change-settings.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { openWebhookSecret } from '../webhook-secret.ts'
import { deliveryBody } from './delivery-body.ts'
import { deliveryHeaders, type SigningKeys, signingKeys } from './delivery-headers.ts'
import type { GuardedClient, Outcome } from './guarded-client.ts'
import { judgeOutcome, type Verdict } from './judge-outcome.ts'
import type { DueDelivery } from './read-due-statement.ts'
import type { SettledAttempt } from './settle-deliveries-statement.ts'
import type { Receiver } from './take-receivers-statement.ts'

export interface AttemptNeeds {
  readonly client: Pick<GuardedClient, 'post'>
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly log: Pick<Log, 'error'>
}

export interface Attempted {
  readonly attempt: SettledAttempt
  readonly verdict: Verdict
  /** What went wrong, if anything did. */
  readonly error: string
}

/** One request, and what came of it; undefined: it was broken off, as the relay ends. */
export async function attemptDelivery(
  needs: AttemptNeeds,
  receiver: Receiver,
  delivery: DueDelivery,
): Promise<Attempted | undefined> {
  const startedAt = needs.clock.now()
  const startedAtMs = performance.now()
  const outcome = await send(needs, receiver, delivery, startedAt)
  if (outcome.kind === 'broken-off') return undefined
  const verdict = judgeOutcome(outcome, {
    attempts: delivery.attempts + 1,
    retries: receiver.retries ?? undefined,
    nowMs: needs.clock.now().getTime(),
    chance: Buffer.from(needs.random.bytes(4)).readUInt32BE() / 2 ** 32,
  })
  const told =
    outcome.kind === 'replied'
      ? { status: outcome.reply.status, excerpt: outcome.reply.excerpt, error: undefined }
      : { status: undefined, excerpt: undefined, error: outcome.error }
  return {
    attempt: {
      key: delivery.key,
      version: delivery.version,
      startedAt,
      durationMs: Math.round(performance.now() - startedAtMs),
      address: outcome.address,
      state: verdict.state,
      pauseMs: verdict.pauseMs,
      ...told,
    },
    verdict,
    error: told.error ?? `HTTP ${told.status}`,
  }
}

async function send(
  { client, box, log }: AttemptNeeds,
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
    log.error({ err: error, webhookKey: String(receiver.key) }, 'a webhook could not be sent')
    return { kind: 'failed', error: 'the relay could not send it: its log tells why', address: undefined }
  }
}

/** Made once for all that is sent with them, and forgotten with the receiver. */
const known = new WeakMap<Receiver, SigningKeys>()

function keysOf(box: SecretBox, receiver: Receiver): SigningKeys {
  const { secretSealed, previousSecretSealed, signingKeySealed } = receiver
  const keys =
    known.get(receiver) ??
    signingKeys({
      signingKey: signingKeySealed === null ? undefined : box.open(signingKeySealed, SIGNING_KEY),
      secret: openWebhookSecret(box, secretSealed),
      previousSecret: previousSecretSealed === null ? undefined : openWebhookSecret(box, previousSecretSealed),
    })
  known.set(receiver, keys)
  return keys
}
