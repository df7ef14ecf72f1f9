import { createHash } from 'node:crypto'
import { twilioEvents } from '@smsgw/contract/webhook'
import type { Random } from '../../random.ts'
import type { Database } from '../../store/database.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { type AddressRules, urlProblem } from '../../webhooks/address-rules.ts'
import { originOf } from '../../webhooks/status-origin.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../webhooks/webhook-secret.ts'
import { TwilioError } from './twilio-error.ts'

interface StatusReceiverDeps {
  readonly database: Database
  readonly box: SecretBox
  readonly random: Random
  readonly addressRules: AddressRules
}

/** Each origin has a lane of its own, so that a slow one delays no other. Programs use a few. */
const MOST_ORIGINS = 50
const LONGEST_URL = 2048

/**
 * The webhooks that deliver the states of messages with a `StatusCallback`, one for each origin of an account. Their URL is
 * the origin, because the URL of each message may have parameters of its own.
 */
export class StatusReceivers {
  readonly #deps: StatusReceiverDeps

  constructor(deps: StatusReceiverDeps) {
    this.#deps = deps
  }

  /** Creates the webhook of a URL before its first message, so that no state is missed. */
  async add(accountId: string, url: string): Promise<void> {
    const { database, box, random, addressRules } = this.#deps
    const problem = url.length > LONGEST_URL ? 'is too long' : urlProblem(url, addressRules)
    if (problem !== undefined) throw new TwilioError(400, 21609, `The 'StatusCallback' URL ${problem}`)
    const origin = originOf(url)
    const id = `twilio-${createHash('sha256').update(origin).digest('hex').slice(0, 24)}`
    const known = await database.webhook.findUnique({
      where: { accountId_id: { accountId, id } },
      select: { key: true },
    })
    if (known !== null) return
    if ((await database.webhook.count({ where: { accountId, format: 'twilio-status' } })) >= MOST_ORIGINS)
      throw new TwilioError(
        400,
        21609,
        `The account has ${MOST_ORIGINS} origins of StatusCallback URLs, the maximum: delete webhooks that are not used`,
      )
    const secretSealed = sealWebhookSecret(box, newWebhookSecret(random))
    const facts = { event: EVENTS[0], events: [...EVENTS], name: 'StatusCallback', format: 'twilio-status' }
    // Another request may have created the same webhook in the meantime.
    await database.webhook.createMany({
      data: [{ accountId, id, url: origin, secretSealed, ...facts }],
      skipDuplicates: true,
    })
  }
}

const EVENTS = twilioEvents.filter((event) => event !== 'sms:received') as [string, ...string[]]
