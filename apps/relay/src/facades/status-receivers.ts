import { createHash } from 'node:crypto'
import { twilioStatusEvents } from '@smsgw/contract/webhooks/twilio-events'
import type { CoreDeps } from '../core-deps.ts'
import { type AddressRules, urlProblem } from '../webhooks/address-rules.ts'
import { originOf, STATUS_FORMATS, type StatusCallback, type StatusFormat } from '../webhooks/status-callback.ts'
import { newWebhookSecret, sealWebhookSecret } from '../webhooks/webhook-secret.ts'

interface StatusReceiverDeps extends Pick<CoreDeps, 'database' | 'box' | 'random'> {
  readonly addressRules: AddressRules
}

/**
 * The largest number of origins. Each origin has its own lane, so that a slow origin does not delay others. Programs
 * use only a few origins.
 */
const MOST_ORIGINS = 50
const LONGEST_URL = 2048

/**
 * Some messages have their own address for reports about their states (Twilio's `StatusCallback`, Kannel's `dlr-url`).
 * An account has one webhook for each origin and format of these addresses. The URL of such a webhook is the origin,
 * because the parameters may differ for each message.
 */
export class StatusReceivers {
  readonly #deps: StatusReceiverDeps

  constructor(deps: StatusReceiverDeps) {
    this.#deps = deps
  }

  /**
   * Creates the webhook of a URL before its first message, so that no state is missed. If the URL is invalid, returns
   * what is wrong with it, as the end of a sentence.
   */
  async add(accountId: string, callback: StatusCallback): Promise<string | undefined> {
    const { database, box, random, addressRules } = this.#deps
    const { format, url } = callback
    const problem = url.length > LONGEST_URL ? 'is too long' : urlProblem(url, addressRules)?.message
    if (problem !== undefined) return problem
    const origin = originOf(callback)
    const id = `${NAMES[format].id}-${createHash('sha256').update(origin).digest('hex').slice(0, 24)}`
    const known = await database.webhook.findUnique({
      where: { accountId_id: { accountId, id } },
      select: { key: true },
    })
    if (known !== null) return undefined
    const where = { accountId, format: { in: [...STATUS_FORMATS] } }
    if ((await database.webhook.count({ where })) >= MOST_ORIGINS)
      return `is at a new origin, but the account already has ${MOST_ORIGINS} origins, the maximum: delete unused webhooks`
    const secretSealed = sealWebhookSecret(box, newWebhookSecret(random))
    const facts = { event: twilioStatusEvents[0], events: [...twilioStatusEvents], name: NAMES[format].name, format }
    // Another request may have created the same webhook in the meantime.
    await database.webhook.createMany({
      data: [{ accountId, id, url: origin, secretSealed, ...facts }],
      skipDuplicates: true,
    })
    return undefined
  }
}

const NAMES: Readonly<Record<StatusFormat, { readonly id: string; readonly name: string }>> = {
  'twilio-status': { id: 'twilio', name: 'StatusCallback' },
  'kannel-dlr': { id: 'kannel', name: 'dlr-url' },
}
