import { textFromAddress } from '@smsgw/sms/address'
import { hexFromOctets } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/submit'
import { epochMsFromTimeStamp, isValidTimeStamp } from '@smsgw/sms/time-stamp'
import { textOfUserData } from '@smsgw/sms/user-data'
import { concatenationOf } from '@smsgw/sms/user-data-header'
import { secondsFromRelative, type ValidityPeriod } from '@smsgw/sms/validity-period'
import type { Clock } from '../clock.ts'
import type { LedgerEntry } from '../ledger.ts'
import { deliverOfSubmit, statusReportOf } from './composing.ts'
import type { DeliveryPolicies, DeliveryPolicy } from './delivery-policy.ts'
import type { SubmitResult } from './station.ts'
import type { Subscriber } from './subscriber.ts'

/** Takes SUBMITs, writes the ledger, routes by number, reports back. */
export class ServiceCentre {
  accepted = 0
  readonly #world: ServiceCentreWorld

  constructor(world: ServiceCentreWorld) {
    this.#world = world
  }

  /** The ledger entry is out before this returns `ok`. */
  submit(sender: Subscriber, imei: string, tpdu: Uint8Array, submit: Submit): SubmitResult {
    const destination = textFromAddress(submit.destination)
    const policy = this.#world.policies.of(destination)
    if (policy.outcome === 'rejected') {
      this.#world.onRefused(sender, destination, policy.cause)
      return { ok: false, cause: policy.cause }
    }
    const submittedEpochMs = this.#world.clock.epochMs()
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
    this.#world.onAccepted(entry)
    const receiver = this.#world.subscriberOf(destination)
    if (receiver) this.#keepFor(receiver, sender, submit, submittedEpochMs)
    else this.#letLeave(sender, submit, entry, policy)
    return { ok: true }
  }

  #keepFor(receiver: Subscriber, sender: Subscriber, submit: Submit, submittedEpochMs: number): void {
    const { clock, zoneQuarters, serviceCentre } = this.#world
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
    this.#world.onLeft(sender, entry)
    if (!submit.statusReportRequest) return
    const later = (delayMs: number, status: number) => {
      this.#world.clock.after(delayMs, () => this.#report(sender, submit, entry.epochMs, status))
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
      case 'silent':
      case 'rejected':
        break
    }
  }

  #report(sender: Subscriber, submit: Submit, submittedEpochMs: number, status: number): void {
    if (!submit.statusReportRequest) return
    const { clock, zoneQuarters, serviceCentre } = this.#world
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

export interface ServiceCentreWorld {
  readonly clock: Clock
  readonly zoneQuarters: number
  readonly serviceCentre: string
  readonly policies: DeliveryPolicies
  readonly subscriberOf: (number: string) => Subscriber | undefined
  readonly onAccepted: (entry: LedgerEntry) => void
  readonly onRefused: (sender: Subscriber, destination: string, cause: number) => void
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

/** Without a validity period centres keep a message for some days. */
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

const usualValidityMs = 48 * 3600 * 1000
const longestDelayMs = 2 ** 31 - 1
