import { readCommandError } from '@smsgw/modem/dialogue/errors/command-error'
import type { OutgoingPdu, OutgoingText, SubmitOptions, SubmitOutcome, Submitted } from '@smsgw/modem/send/submit'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import { decodeStatusReport, encodeStatusReport, type StatusReport } from '@smsgw/sms/tpdu/status-report'
import { decodeOutgoing } from '@smsgw/sms/tpdu/tpdu'
import type { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import type { SeededRandom } from '@smsgw/virtual-modem/random'
import type { SendingSim } from '../src/sending/sending-sim.ts'

/** A PDU that the network accepted. The test compares the agent's events with the ledger of these entries. */
export interface SimulatedSend {
  readonly atMs: number
  readonly pdu: string
  readonly iccid: string
}

/** A SIM in a modem with random faults. The SIM survives the end of the agent's process. */
export class SimulatedSim {
  readonly simNumber: number
  readonly iccid: string
  readonly ledger: SimulatedSend[] = []
  readonly #clock: ManualClock
  readonly #random: SeededRandom
  readonly #faultRate: number
  #reference = 0
  #busy: Promise<unknown> = Promise.resolve()
  onReport: (iccid: string, report: StatusReport) => void = () => undefined
  onLate: (id: string, outcome: SubmitOutcome & { kind: 'accepted' | 'refused' }) => void = () => undefined

  constructor(simNumber: number, clock: ManualClock, random: SeededRandom, faultRate: number) {
    this.simNumber = simNumber
    this.iccid = `894400000000000000${simNumber}`
    this.#clock = clock
    this.#random = random
    this.#faultRate = faultRate
  }

  /** Returns the SIM for one process. The SIM does not call back into a process that was killed. */
  attach(isAlive: () => boolean): SendingSim {
    return {
      simNumber: this.simNumber,
      iccid: this.iccid,
      phoneNumber: '+447700900999',
      submit: (pdu, options) => {
        const done = this.#busy.then(() => this.#submit(pdu, options, isAlive))
        // Waits at most 30 s, because a submission of a killed process must not block the next process.
        this.#busy = Promise.race([done, this.#pause(30_000)])
        return done
      },
    }
  }

  async #submit(pdu: OutgoingPdu | OutgoingText, options: SubmitOptions, isAlive: () => boolean): Promise<Submitted> {
    if ('text' in pdu) throw new Error('this SIM accepts PDUs only')
    await this.#pause(this.#random.integer(300))
    const withdrawal = { cancelled: false }
    if (this.#random.next() < 0.5) return this.#submitEarly(pdu, options, isAlive)
    if (this.#happens(0.08)) return this.#ends(options, { kind: 'not-sent', why: 'no-prompt' }, isAlive)
    if (this.#happens(0.05)) withdrawal.cancelled = true
    if (!isAlive()) return never()
    const word = await options.beforePdu(withdrawal).catch(() => 'failed' as const)
    if (!isAlive()) return never()
    if (word === 'failed') return this.#ends(options, { kind: 'not-sent', why: 'before-pdu-failed' }, isAlive)
    if (word === 'abort') return this.#ends(options, { kind: 'not-sent', why: 'before-pdu-aborted' }, isAlive)
    if (this.#happens(0.04)) return this.#ends(options, { kind: 'not-sent', why: 'port-lost' }, isAlive)
    return this.#answer(pdu, options, isAlive)
  }

  /** Calls the hook before the modem has sent its prompt. */
  async #submitEarly(pdu: OutgoingPdu, options: SubmitOptions, isAlive: () => boolean): Promise<Submitted> {
    const withdrawal = { cancelled: false }
    if (!isAlive()) return never()
    const asked = options.beforePdu(withdrawal).catch(() => 'failed' as const)
    await this.#pause(this.#random.integer(10))
    const hasPrompt = !this.#happens(0.1)
    const isRefused = !hasPrompt && this.#happens(0.5)
    if (!hasPrompt) {
      withdrawal.cancelled = true
      await this.#pause(isRefused ? 0 : 10_000)
    }
    const word = await asked
    if (!isAlive()) return never()
    if (isRefused) {
      const error = readCommandError('+CMS ERROR: 302')!
      return this.#ends(options, { kind: 'refused', error, pduWritten: false }, isAlive)
    }
    if (!hasPrompt) return this.#ends(options, { kind: 'not-sent', why: 'no-prompt' }, isAlive)
    if (word === 'failed') return this.#ends(options, { kind: 'not-sent', why: 'before-pdu-failed' }, isAlive)
    if (word === 'abort') return this.#ends(options, { kind: 'not-sent', why: 'before-pdu-aborted' }, isAlive)
    return this.#answer(pdu, options, isAlive)
  }

  async #answer(pdu: OutgoingPdu, options: SubmitOptions, isAlive: () => boolean): Promise<Submitted> {
    const refusal = this.#happens(0.2) ? refusals[this.#random.integer(refusals.length)] : undefined
    if (refusal !== undefined) {
      await this.#pause(this.#random.integer(4000))
      return this.#ends(options, { kind: 'refused', error: readCommandError(refusal)!, pduWritten: true }, isAlive)
    }
    const isTaken = !this.#happens(0.1)
    const reference = isTaken ? this.#take(pdu) : undefined
    await this.#pause(this.#random.integer(6000))
    if (isTaken && !this.#happens(0.15)) {
      // The line with the message reference may be lost before the driver reads it.
      const heard = this.#happens(0.1) ? undefined : reference
      return this.#ends(
        options,
        { kind: 'accepted', messageReference: heard, detail: undefined, duplicate: false },
        isAlive,
      )
    }
    this.#maybeLate(options.id, reference, isAlive)
    // The modem may be ready for the next command long before the time limit of the driver ends.
    if (this.#happens(0.3)) await this.#pause(120_000)
    return this.#ends(options, { kind: 'unknown', why: 'answer-lost', error: undefined }, isAlive)
  }

  #maybeLate(id: string, reference: number | undefined, isAlive: () => boolean): void {
    if (!this.#happens(0.3)) return
    this.#clock.after(1000 + this.#random.integer(200_000), () => {
      if (!isAlive()) return
      if (reference !== undefined) {
        this.onLate(id, { kind: 'accepted', messageReference: reference, detail: undefined, duplicate: false })
      } else this.onLate(id, { kind: 'refused', error: readCommandError('+CMS ERROR: 38')!, pduWritten: true })
    })
  }

  /** Sends the PDU to the network, and schedules its status reports. */
  #take({ octets }: OutgoingPdu): number {
    const pdu = hexFromOctets(octets)
    this.#reference = (this.#reference + 1) % 256
    const reference = this.#reference
    const atMs = this.#clock.epochMs()
    this.ledger.push({ atMs, pdu, iccid: this.iccid })
    const { tpdu } = decodeOutgoing(octetsFromHex(pdu))
    if (tpdu.kind !== 'submit' || !tpdu.statusReportRequest || this.#happens(0.2)) return reference
    const report = (status: number) => ({
      kind: 'status-report' as const,
      moreMessagesToSend: false,
      loopPrevention: false,
      statusReportQualifier: false,
      messageReference: reference,
      recipient: tpdu.destination,
      serviceCentreTimeStamp: timeStampFromEpochMs(atMs + this.#random.integer(2000), 0),
      dischargeTime: timeStampFromEpochMs(atMs + 5000, 0),
      status,
    })
    const statuses = this.#happens(0.15) ? [0x30, 0x00] : this.#happens(0.1) ? [0x46] : [0x00]
    for (const [at, status] of statuses.entries()) {
      const delayMs = this.#random.integer(20_000) + at * 30_000
      const again = decodeStatusReport(encodeStatusReport(report(status)))
      this.#clock.after(delayMs, () => this.onReport(this.iccid, again))
      if (this.#happens(0.2)) this.#clock.after(delayMs + 60_000, () => this.onReport(this.iccid, again))
    }
    return reference
  }

  async #ends(options: SubmitOptions, outcome: SubmitOutcome, isAlive: () => boolean): Promise<Submitted> {
    if (!isAlive()) return never()
    void options.afterResult?.(outcome)
    return outcome
  }

  #happens(probability: number): boolean {
    return this.#random.next() < probability * this.#faultRate
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve))
  }
}

function never(): Promise<Submitted> {
  return new Promise(() => undefined)
}

const refusals = [38, 42, 310, 313, 21, 1, 28, 331, 302, 322, 512, 69, 10, 47].map((code) => `+CMS ERROR: ${code}`)
