import type { Clock, Timer } from '../clock.ts'
import type { EquipmentSettings } from './settings.ts'

/**
 * A voice call, with the details that a messaging program sees.
 *
 * - none: there is no call.
 * - ringing: sends RING, and +CLIP if enabled, every five seconds.
 * - active: the call is connected; nothing is sent.
 */
export class VoiceCall {
  readonly #modem: VoiceCallModem
  #state: 'none' | 'ringing' | 'active' = 'none'
  #direction: 0 | 1 = 0
  #number = ''
  #timer: Timer | undefined
  #end: Timer | undefined

  constructor(modem: VoiceCallModem) {
    this.#modem = modem
  }

  ring(from: string, forMs: number): void {
    if (this.#state !== 'none') return
    this.#state = 'ringing'
    this.#direction = 1
    this.#number = from
    this.#end = this.#modem.clock.after(forMs, () => {
      if (this.hangUp()) this.#modem.unsolicited.say('NO CARRIER')
    })
    this.#ringOnce()
  }

  dial(number: string): void {
    this.#state = 'active'
    this.#direction = 0
    this.#number = number
  }

  answer(): boolean {
    if (this.#state !== 'ringing') return false
    this.#timer?.cancel()
    this.#end?.cancel()
    this.#state = 'active'
    return true
  }

  hangUp(): boolean {
    const was = this.#state
    this.#timer?.cancel()
    this.#end?.cancel()
    this.#state = 'none'
    return was !== 'none'
  }

  get ringing(): boolean {
    return this.#state === 'ringing'
  }

  get active(): boolean {
    return this.#state === 'active'
  }

  /** The line for CLCC, undefined without a call. */
  get listing(): string | undefined {
    if (this.#state === 'none') return undefined
    const stat = this.#state === 'active' ? 0 : 4
    return `+CLCC: 1,${this.#direction},${stat},0,0,"${this.#number}",${this.#number.startsWith('+') ? 145 : 129}`
  }

  #ringOnce(): void {
    const { unsolicited, settings, clock } = this.#modem
    unsolicited.say('RING')
    if (settings.callerIdentification) {
      unsolicited.say(`+CLIP: "${this.#number}",${this.#number.startsWith('+') ? 145 : 129},,,,0`)
    }
    this.#timer = clock.after(ringEveryMs, () => this.#ringOnce())
  }
}

const ringEveryMs = 5000

/** The parts of the modem that a voice call needs. */
export interface VoiceCallModem {
  readonly clock: Clock
  readonly settings: EquipmentSettings
  readonly unsolicited: { say(line: string): void }
}
