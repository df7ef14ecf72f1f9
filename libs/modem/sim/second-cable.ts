import type { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import type { ClosablePort } from '../src/recovery/runner.ts'
import { SimulatedCable } from './cable.ts'
import type { DriverSchedule, SecondPortPlan } from './schedule.ts'

/** The second port of the modem, or the device that the schedule simulates instead. */
export class SecondCable {
  readonly written: string[] = []
  readonly #plan: SecondPortPlan
  readonly #clock: ManualClock
  readonly #cable: SimulatedCable

  constructor({ secondPort, cableMs }: DriverSchedule, clock: ManualClock, toModem: (bytes: Uint8Array) => void) {
    this.#plan = secondPort
    this.#clock = clock
    this.#cable = new SimulatedCable(clock, cableMs, (bytes) => {
      const text = String.fromCharCode(...bytes)
      this.written.push(text)
      const answer = this.#answerInstead(text)
      if (answer === undefined) toModem(bytes)
      else if (answer !== '') this.#cable.fromModem(Uint8Array.from(answer, (char) => char.charCodeAt(0)))
    })
  }

  set plugged(plugged: boolean) {
    this.#cable.plugged = plugged
  }

  /** Returns false if the bytes are not delivered to the driver. */
  fromModem(bytes: Uint8Array): boolean {
    const passes = !this.#isSilent && this.#plan !== 'repeats'
    if (passes) this.#cable.fromModem(bytes)
    return passes
  }

  async open(): Promise<ClosablePort | undefined> {
    const opened = await this.#cable.open()
    return opened.kind === 'opened' && 'write' in opened.port ? opened.port : undefined
  }

  /** Returns the answer that replaces the modem's answer. Undefined if the modem itself answers. */
  #answerInstead(written: string): string | undefined {
    if (this.#isSilent) return ''
    if (this.#plan === 'repeats') return written
    if (this.#plan === 'another-modem' && /GSN/.test(written)) return '\r\n356938035643809\r\n\r\nOK\r\n'
    return undefined
  }

  get #isSilent(): boolean {
    return this.#plan === 'silent' || (this.#plan === 'hangs' && this.#clock.nowMs() > hangsAtMs)
  }
}

const hangsAtMs = 15_000
