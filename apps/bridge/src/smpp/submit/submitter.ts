import { createHash, randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { SmsGateway } from '@smsgw/client'
import type { SendMessageRequest } from '@smsgw/client/openapi'
import type { Log } from '@smsgw/daemon/log/log'
import { GroupedWrites } from '../../state/bridge-state.ts'
import type { SentMessages } from '../../state/sent-messages.ts'
import { SmppError } from '../protocol/command.ts'
import type { SmppAlphabet } from '../protocol/data-coding.ts'
import { type SmeAddress, TLV, tlvNumber } from '../protocol/fields.ts'
import type { SmppSubmission } from '../protocol/requests.ts'
import { readSmppTime } from '../protocol/smpp-time.ts'
import type { SmppLogin } from '../session/authenticate.ts'
import { submitFailure } from './api-failure.ts'
import type { OwnNumbers } from './own-numbers.ts'
import { PartStore, type StoredPartGroup } from './part-store.ts'
import { RepeatedSubmits } from './repeated-submits.ts'
import {
  contentOf,
  destinationNumber,
  messageContent,
  type NumberChecks,
  numberChecks,
  type SubmittedContent,
} from './submitted-message.ts'

/** The data for the receipts of a message, stored with the message until its final state. */
export interface ReceiptRequest {
  readonly systemId: string
  readonly owner: string
  readonly source: SmeAddress
  readonly destinations: readonly SmeAddress[]
  readonly onFailureOnly: boolean
  /**
   * The number of receipts. There is one receipt for each part that requests one, because clients expect receipts by
   * part.
   */
  readonly copies: number
}

export interface SubmitterOptions {
  readonly database: DatabaseSync
  readonly alphabet: SmppAlphabet
  /** True to refuse a source address that is not the number of a SIM, false to ignore it. */
  readonly refusesSource: boolean
  readonly ownNumbers: OwnNumbers
  readonly sent: SentMessages
  readonly log: Log
  /** The clock for the ages of stored rows, see `RunningTime`. */
  readonly now: () => number
  /** The system clock, for times in messages. */
  readonly wallNow: () => number
  /** Called for a message whose parts did not arrive completely, and whose client wants a receipt. */
  readonly onGivenUp: (messageId: string, request: ReceiptRequest) => void
  /** Called if the state of the message may have changed before the request for a receipt was stored. */
  readonly onMissed: (messageId: string) => void
}

/** A message for the API, and how its numbers must be checked. */
interface SendRequest {
  readonly body: SendMessageRequest
  readonly checks: NumberChecks
}

interface Sending {
  readonly login: SmppLogin
  readonly messageId: string
  readonly request: SendRequest
  /** The data for receipts; undefined if the client wants none. */
  readonly receipt: ReceiptRequest | undefined
}

/** Passes submitted messages to the API. A message is confirmed after the API has accepted it. */
export class SmppSubmitter {
  readonly #options: SubmitterOptions
  readonly #parts: PartStore
  readonly #repeated: RepeatedSubmits
  readonly #writes: GroupedWrites
  readonly #sendingGroups = new Map<string, Promise<void>>()

  constructor(options: SubmitterOptions) {
    this.#options = options
    this.#parts = new PartStore(options.database)
    this.#repeated = new RepeatedSubmits(options.database)
    this.#writes = new GroupedWrites(options.database)
  }

  /** Returns the message id after the API has accepted the message, or after a part is on disk. */
  async submit(submission: SmppSubmission, sessionId: string, login: SmppLogin): Promise<string> {
    const content = contentOf(submission)
    const facts = await this.#factsOf(submission)
    const { position } = content
    if (position !== undefined) return await this.#submitPart(submission, { ...content, position }, facts, login)
    const request = withContent(facts, messageContent(content.octets, content, this.#options.alphabet))
    const hash = repetitionHash(submission, login)
    const newId = newMessageId()
    const messageId = hash === undefined ? newId : await this.#idFor(hash, { newId, sessionId })
    const receipt = receiptRequestOf(submission, login)
    await this.#send({ login, messageId, request, receipt })
    if (hash !== undefined) await this.#writes.run(() => this.#repeated.setAnswered(hash, sessionId))
    return messageId
  }

  #idFor(hash: string, ids: { readonly newId: string; readonly sessionId: string }): Promise<string> {
    return this.#writes.run(() => this.#repeated.idFor(hash, ids, this.#options.now()))
  }

  /** Gives up messages whose parts did not arrive, and forgets old submissions. */
  sweep(): void {
    const { now, log } = this.#options
    const at = now()
    for (const group of this.#parts.expired(at)) {
      if (this.#sendingGroups.has(group.key)) continue
      if (!group.isSent) {
        log.warn({ message: group.messageId }, 'SMPP message dropped: some of its parts did not arrive')
        // A complete message may have been accepted by the API. In this case, its state is reported anyway.
        if (!group.isComplete) this.#giveUp(group)
      }
      this.#parts.remove(group.key)
    }
    this.#repeated.forget(at)
  }

  async #submitPart(
    submission: SmppSubmission,
    content: SubmittedContent & { readonly position: NonNullable<SubmittedContent['position']> },
    facts: SendRequest,
    login: SmppLogin,
  ): Promise<string> {
    const { position, octets } = content
    const receipt = receiptRequestOf(submission, login)
    const key = groupKey(submission, content, login)
    const { group, message, replaced } = this.#parts.add(
      {
        key,
        position,
        octets,
        wantsReceipt: receipt !== undefined,
        detail: JSON.stringify(receipt ?? null),
        newMessageId: newMessageId(),
      },
      this.#options.now(),
    )
    if (replaced !== undefined) {
      this.#options.log.warn(
        { message: replaced.messageId },
        'SMPP message dropped: its client began another message before all parts arrived',
      )
      this.#giveUp(replaced)
    }
    const { messageId } = group
    if (message === undefined) return messageId
    // A repeated last part waits for the same result.
    const sending =
      this.#sendingGroups.get(key) ??
      this.#sendGroup(key, group, { message, content, submission, facts, login }).finally(() =>
        this.#sendingGroups.delete(key),
      )
    this.#sendingGroups.set(key, sending)
    await sending
    return messageId
  }

  async #sendGroup(
    key: string,
    { messageId, detail, receipts: copies }: StoredPartGroup,
    {
      message,
      content,
      submission,
      facts,
      login,
    }: {
      readonly message: Buffer
      readonly content: SubmittedContent
      readonly submission: SmppSubmission
      readonly facts: SendRequest
      readonly login: SmppLogin
    },
  ): Promise<void> {
    const wanted = (JSON.parse(detail) as ReceiptRequest | null) ?? receiptRequestOf(submission, login)
    try {
      const request = withContent(facts, messageContent(message, content, this.#options.alphabet))
      const receipt = wanted === undefined || copies === 0 ? undefined : { ...wanted, copies }
      await this.#send({ login, messageId, request, receipt })
      this.#parts.setSent(key)
    } catch (error) {
      // If the error is temporary, the client repeats the last part. If it is permanent, the client does not, and the
      // remaining parts are given up some time later.
      this.#parts.removePart(key, content.position?.sequence ?? 0)
      throw error
    }
  }

  async #send({ login, messageId, request, receipt }: Sending): Promise<void> {
    const { sent, now, onMissed } = this.#options
    const detail = JSON.stringify(receipt)
    // Stores the request for a receipt before the message is sent, because the state of the message may change at once.
    if (receipt !== undefined) await this.#writes.run(() => sent.add(messageId, detail, now()))
    try {
      await post(login.api, messageId, request)
    } catch (error) {
      const failure = submitFailure(error)
      // After a temporary error, the API may still have accepted the message. In this case, its state is reported
      // anyway.
      if (!MAY_BE_ACCEPTED.includes(failure.status)) sent.remove(messageId)
      throw failure
    }
    if (receipt === undefined || sent.find(messageId) !== undefined) return
    // The request for a receipt must be stored again. It was removed when the bridge asked for the state before the API
    // had the message.
    sent.add(messageId, detail, now())
    onMissed(messageId)
  }

  #giveUp(group: StoredPartGroup): void {
    const request = JSON.parse(group.detail) as ReceiptRequest | null
    const copies = group.receipts
    if (request !== null && copies > 0) this.#options.onGivenUp(group.messageId, { ...request, copies })
  }

  /** Returns all members of a message except its content. */
  async #factsOf(submission: SmppSubmission): Promise<SendRequest> {
    const now = this.#options.wallNow()
    const { priority, destinations } = submission
    if (priority > MOST_PRIORITY)
      throw new SmppError('ESME_RINVPRTFLG', `priority_flag ${priority} is above ${MOST_PRIORITY}`)
    const scheduleAt = readSmppTime(submission.scheduleTime, now, 'ESME_RINVSCHED')
    const validUntil = readSmppTime(submission.validityPeriod, now, 'ESME_RINVEXPIRY')
    const body = {
      phoneNumbers: destinations.map(destinationNumber),
      priority: priority * PRIORITY_STEP,
      ...(scheduleAt !== undefined && { scheduleAt: new Date(scheduleAt).toISOString() }),
      ...(validUntil !== undefined && lifetimeOf(submission.validityPeriod, validUntil, now)),
      ...(await this.#simOf(submission.source)),
    }
    return { body, checks: numberChecks(destinations) }
  }

  async #simOf({ value }: SmeAddress) {
    const { ownNumbers, refusesSource } = this.#options
    if (value === '') return {}
    const sim = await ownNumbers.find(value).catch((error: unknown) => {
      throw submitFailure(error)
    })
    if (sim === undefined && refusesSource)
      throw new SmppError('ESME_RINVSRCADR', 'source_addr is not the number of a SIM of this account')
    return sim ?? {}
  }
}

/**
 * In SMPP, the priority is 0 to 3 (§5.2.14). In the API, messages with a priority of 100 or more do not wait for
 * limits.
 */
const MOST_PRIORITY = 3
const PRIORITY_STEP = 10
const MAY_BE_ACCEPTED: readonly string[] = ['ESME_RSYSERR']

/** Keeps a relative time relative, so that a repeated message results in the same request. */
function lifetimeOf(validityPeriod: string, validUntil: number, now: number): { ttl: number } | { validUntil: string } {
  if (validityPeriod.endsWith('R')) return { ttl: Math.round((validUntil - now) / 1_000) }
  return { validUntil: new Date(validUntil).toISOString() }
}

async function post(api: SmsGateway, id: string, { body, checks }: SendRequest): Promise<void> {
  await api.messages.send({ ...body, id }, { idempotencyKey: `smpp:${id}`, ...checks })
}

function withContent({ body, ...rest }: SendRequest, content: ReturnType<typeof messageContent>): SendRequest {
  return { ...rest, body: { ...body, ...content } }
}

function receiptRequestOf(
  { registeredDelivery, source, destinations }: SmppSubmission,
  { systemId, owner }: SmppLogin,
): ReceiptRequest | undefined {
  const kind = registeredDelivery & 0x03
  if (kind === 0) return undefined
  if (kind === 3) throw new SmppError('ESME_RINVREGDLVFLG', 'registered_delivery 3 is not defined')
  return { systemId, owner, source, destinations, onFailureOnly: kind === 2, copies: 1 }
}

/** Returns a key that is the same for a repeated message of a client; undefined without a user_message_reference. */
function repetitionHash(submission: SmppSubmission, { systemId, owner }: SmppLogin): string | undefined {
  const reference = tlvNumber(submission.tlvs, TLV.userMessageReference, 2)
  if (reference === undefined) return undefined
  const { userData, tlvs, ...facts } = submission
  return hashOf([systemId, owner, reference, facts, Buffer.from(userData).toString('base64')])
}

/** Returns a key from the reference, the addresses and the coding, which are the same for all parts of a message. */
function groupKey(
  { source, destinations }: SmppSubmission,
  { position, coding, port }: SubmittedContent,
  { systemId, owner }: SmppLogin,
): string {
  const { width, reference, total } = position ?? { width: 0, reference: 0, total: 0 }
  return hashOf([systemId, owner, source, destinations, width, reference, total, coding, port ?? null])
}

function hashOf(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url')
}

/** Does not use `_`, because receipts contain the id, and the code of `_` differs between GSM 7-bit and ASCII. */
function newMessageId(): string {
  return randomBytes(15).toString('hex')
}
