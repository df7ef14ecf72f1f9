import { textFromAddress } from '@smsgw/sms/fields/address'
import { epochMsFromTimeStamp, isValidTimeStamp } from '@smsgw/sms/fields/time-stamp'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { concatenationOf } from '@smsgw/sms/fields/user-data-header'
import { secondsFromRelative, type ValidityPeriod } from '@smsgw/sms/fields/validity-period'
import { hexFromOctets } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/tpdu/submit'
import type { Clock } from '../clock.ts'
import { deliverOfSubmit, statusReportOf } from './composing.ts'
import type { DeliveryPolicies, DeliveryPolicy } from './delivery-policy.ts'
import type { LedgerEntry } from './ledger.ts'
import type { SubmitResult } from './station.ts'
import type { Subscriber } from './subscriber.ts'
import { WholeMessages } from './whole-messages.ts'

/** Accepts SUBMITs, emits ledger entries, routes by number, and sends reports. */
export class ServiceCentre {
  accepted = 0
  readonly #options: ServiceCentreOptions
  readonly #wholeMessages = new WholeMessages()
  /** For each message that is refused at first and accepted later: how many times it has been refused so far. */
  readonly #refusals = new Map<string, number>()

  constructor(options: ServiceCentreOptions) {
    this.#options = options
  }

  /** The extra time before this message is accepted. */
  acceptanceDelayMs(submit: Submit): number {
    const policy = this.#options.policies.of(textFromAddress(submit.destination))
    return policy.outcome === 'delivered' ? (policy.acceptAfterMs ?? 0) : 0
  }

  /** Emits the ledger entry before it returns `ok`. */
  submit(sender: Subscriber, imei: string, tpdu: Uint8Array, submit: Submit): SubmitResult {
    const destination = textFromAddress(submit.destination)
    const policy = this.#options.policies.of(destination)
    if (policy.outcome === 'rejected' && !this.#isRefusedEnough(destination, submit, policy.times)) {
      this.#options.onRefused(sender, destination, policy.cause)
      return { ok: false, cause: policy.cause }
    }
    const submittedEpochMs = this.#options.clock.epochMs()
    const entry: LedgerEntry = {
      sequence: ++this.accepted,
      epochMs: submittedEpochMs,
      modem: imei,
      imsi: sender.imsi,
      messageReference: submit.messageReference,
      pdu: hexFromOctets(tpdu),
      destination,
      ...contentOf(submit),
    }
    this.#options.onAccepted(entry)
    const receiver = this.#options.subscriberOf(destination)
    if (receiver) this.#keepFor(receiver, sender, submit, submittedEpochMs)
    else this.#letLeave(sender, submit, entry, policy)
    return policy.outcome === 'answer-lost' ? { ok: false, cause: unknownError } : { ok: true }
  }

  #isRefusedEnough(destination: string, { userData }: Submit, times: number | undefined): boolean {
    if (times === undefined) return false
    const message = `${destination} ${hexFromOctets(userData.units)}`
    const refusals = this.#refusals.get(message) ?? 0
    this.#refusals.delete(message)
    if (refusals >= times) return true
    this.#refusals.set(message, refusals + 1)
    const [oldest] = this.#refusals.keys()
    if (this.#refusals.size > mostRefusals && oldest !== undefined) this.#refusals.delete(oldest)
    return false
  }

  #keepFor(receiver: Subscriber, sender: Subscriber, submit: Submit, submittedEpochMs: number): void {
    const { clock, zoneQuarters, serviceCentre } = this.#options
    const kept = receiver.enqueue({
      tpdu: deliverOfSubmit(submit, sender.msisdn, { epochMs: submittedEpochMs, zoneQuarters }),
      serviceCentre,
      expiresAtMs: clock.nowMs() + validityMs(submit.validityPeriod, submittedEpochMs),
      whenSettled: (outcome) =>
        this.#report(sender, submit, submittedEpochMs, outcome === 'delivered' ? delivered : expired),
    })
    if (!kept) this.#report(sender, submit, submittedEpochMs, congestion)
  }

  #letLeave(sender: Subscriber, submit: Submit, entry: LedgerEntry, policy: DeliveryPolicy): void {
    this.#options.onLeft(sender, entry)
    if (policy.outcome === 'delivered' && policy.reply !== undefined) this.#reply(sender, entry, policy.reply)
    if (!submit.statusReportRequest) return
    const later = (delayMs: number, status: number) => {
      this.#options.clock.after(delayMs, () => this.#report(sender, submit, entry.epochMs, status))
    }
    switch (policy.outcome) {
      case 'delivered':
        later(policy.afterMs ?? 0, delivered)
        break
      case 'fails':
        later(policy.afterMs ?? 0, policy.status ?? unknownSubscriber)
        break
      case 'delivered-late':
        later(policy.afterMs ?? 0, policy.status ?? busy)
        later((policy.afterMs ?? 0) + (policy.finallyAfterMs ?? 0) + 1, delivered)
        break
      case 'expires':
        later(policy.afterMs ?? Math.min(validityMs(submit.validityPeriod, entry.epochMs), longestDelayMs), expired)
        break
      case 'rejected':
        later(0, delivered)
        break
      case 'answer-lost':
        if (policy.reportAfterMs !== undefined) later(policy.reportAfterMs, delivered)
        break
      case 'silent':
        break
    }
  }

  /** Sends one reply to the whole text of a message, and no reply to data. */
  #reply(
    sender: Subscriber,
    { text, destination, part }: LedgerEntry,
    reply: 'echo' | { readonly text: string },
  ): void {
    if (text === undefined) return
    const whole = this.#wholeMessages.take(`${sender.imsi} ${destination}`, text, part)
    if (whole === undefined) return
    this.#options.clock.after(replyAfterMs, () => {
      this.#options.onReply(sender, destination, reply === 'echo' ? whole : reply.text)
    })
  }

  #report(sender: Subscriber, submit: Submit, submittedEpochMs: number, status: number): void {
    if (!submit.statusReportRequest) return
    const { clock, zoneQuarters, serviceCentre } = this.#options
    sender.enqueue({
      tpdu: statusReportOf({
        messageReference: submit.messageReference,
        recipient: submit.destination,
        submitted: { epochMs: submittedEpochMs, zoneQuarters },
        discharged: { epochMs: clock.epochMs(), zoneQuarters },
        status,
      }),
      serviceCentre,
      expiresAtMs: Number.POSITIVE_INFINITY,
    })
  }
}

export interface ServiceCentreOptions {
  readonly clock: Clock
  readonly zoneQuarters: number
  readonly serviceCentre: string
  readonly policies: DeliveryPolicies
  readonly subscriberOf: (number: string) => Subscriber | undefined
  readonly onAccepted: (entry: LedgerEntry) => void
  readonly onRefused: (sender: Subscriber, destination: string, cause: number) => void
  /** The receiver of a message replies. */
  readonly onReply: (sender: Subscriber, from: string, text: string) => void
  readonly onLeft: (sender: Subscriber, entry: LedgerEntry) => void
}

function contentOf(submit: Submit): Pick<LedgerEntry, 'text' | 'data' | 'part'> {
  const text = textOfUserData(submit.userData)
  const concatenation = concatenationOf(submit.userData.header)
  return {
    ...(text === undefined ? { data: hexFromOctets(submit.userData.units) } : { text }),
    ...(concatenation && {
      part: {
        reference: concatenation.reference,
        total: concatenation.total,
        sequence: concatenation.sequence,
      },
    }),
  }
}

/**
 * Returns the validity period of a message. Without a validity period, returns a default, because real service centres
 * keep such a message for some days.
 */
function validityMs(period: ValidityPeriod | undefined, submittedEpochMs: number): number {
  if (period?.format === 'relative') return secondsFromRelative(period) * 1000
  if (period?.format === 'absolute' && isValidTimeStamp(period.at)) {
    return Math.max(0, epochMsFromTimeStamp(period.at) - submittedEpochMs)
  }
  if (period?.format === 'enhanced') {
    const { period: length } = period
    if (length.kind === 'seconds') return length.seconds * 1000
    if (length.kind === 'relative') return secondsFromRelative({ format: 'relative', value: length.value }) * 1000
    if (length.kind === 'hours-minutes-seconds') {
      return ((length.hours * 60 + length.minutes) * 60 + length.seconds) * 1000
    }
  }
  return usualValidityMs
}

// TP-ST, 23.040 §9.2.3.15
const delivered = 0x00
const busy = 0x21
const expired = 0x46
const unknownSubscriber = 0x49
const congestion = 0x60

// +CMS ERROR: unknown error; the message may have been sent.
const unknownError = 500

const replyAfterMs = 1_000
const mostRefusals = 1_000
const usualValidityMs = 48 * 3600 * 1000
const longestDelayMs = 2 ** 31 - 1
