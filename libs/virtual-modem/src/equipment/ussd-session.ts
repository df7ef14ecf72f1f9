import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import { septetsFromText } from '@smsgw/sms/text/gsm7-alphabet'
import { textFromUcs2, ucs2FromText } from '@smsgw/sms/text/ucs2'
import { packUssd, unpackUssd } from '@smsgw/sms/ussd'
import type { Clock, Timer } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import { decoded } from '../messaging/pdu.ts'
import type { Network } from '../network/network.ts'
import type { MenuReply } from '../network/ussd-menu.ts'
import type { Sim } from '../sim/sim.ts'
import { textForHost, textFromHost } from '../wire/character-set.ts'
import type { EquipmentSettings } from './settings.ts'

/**
 * The USSD dialogue of a modem, which can have only one at a time (27.007 §7.15).
 *
 * - closed: the next string is a code.
 * - asked: the network has to answer.
 * - answering: the host has to answer; after three minutes the network ends the dialogue.
 */
export class EmulatedUssdSession {
  readonly #modem: UssdModem
  #round = 0
  #timeout: Timer | undefined
  /** The actual reply, which is sent after the menu that a fault has inserted. */
  #behindMenu: MenuReply | undefined

  constructor(modem: UssdModem) {
    this.#modem = modem
  }

  /** Returns false when the string is not valid in its coding. */
  send(bytes: string, coding: number): boolean {
    const { sim, network, clock, faults } = this.#modem
    const text = this.#read(bytes, coding)
    if (text === undefined || sim === undefined) return false
    this.#timeout?.cancel()
    const round = ++this.#round
    const show = (reply: MenuReply) => {
      if (round === this.#round) this.reply(reply)
    }
    const behindMenu = this.#behindMenu
    this.#behindMenu = undefined
    if (behindMenu) {
      clock.after(network.latencyMs(), () => show(behindMenu))
      return true
    }
    network.ussd(sim, text, (reply) => {
      if (faults.strike('ussd-lost')) return
      const menu = menuAround(faults, reply)
      if (menu) this.#behindMenu = reply
      const late = faults.strike('ussd-late')
      if (late) clock.after(late.delayMs, () => show(menu ?? reply))
      else show(menu ?? reply)
    })
    return true
  }

  cancel(): void {
    const { sim, network } = this.#modem
    this.#round += 1
    this.#behindMenu = undefined
    this.#timeout?.cancel()
    if (sim) network.endUssd(sim)
  }

  reply(reply: MenuReply): void {
    const { settings, unsolicited, clock } = this.#modem
    if (reply.kind === 'text' && reply.expectsAnswer) {
      this.#timeout = clock.after(answerWithinMs, () => {
        this.cancel()
        if (settings.ussdReports > 0) unsolicited.say('+CUSD: 5')
      })
    }
    if (settings.ussdReports > 0) unsolicited.say(`+CUSD: ${this.#write(reply)}`)
  }

  #write(reply: MenuReply): string {
    if (reply.kind === 'ended') return '2'
    if (reply.kind === 'not-supported') return '4'
    if (reply.kind === 'timed-out') return '5'
    const [string, coding] = garbled(this.#modem.faults, this.#encode(reply.text))
    return `${reply.expectsAnswer ? 1 : 0},"${string}",${coding}`
  }

  #encode(text: string): readonly [string, number] {
    const { settings, personality } = this.#modem
    const packed = septetsFromText(text) && packUssd(text)
    const ucs2 = hexFromOctets(ucs2FromText(text))
    if (personality.ussd === 'packed') return packed ? [hexFromOctets(packed), gsm7] : [ucs2, ucs2Coding]
    if (packed === undefined && settings.characterSet !== 'UTF-8') return [ucs2, ucs2Coding]
    return [textForHost(text, settings.characterSet), packed ? gsm7 : ucs2Coding]
  }

  #read(bytes: string, coding: number): string | undefined {
    const { settings, personality } = this.#modem
    if (personality.ussd !== 'packed') return textFromHost(bytes, settings.characterSet)
    return decoded(() => (coding === ucs2Coding ? textFromUcs2 : unpackUssd)(octetsFromHex(bytes)))
  }
}

/** 23.038 §5: GSM 7 bit with an unspecified language, and UCS-2. */
const gsm7 = 15
const ucs2Coding = 72
/** If the host does not reply within this time, the network ends the session. */
export const answerWithinMs = 180_000

export function menuAround(faults: FaultControl, reply: MenuReply): MenuReply | undefined {
  if (reply.kind !== 'text' || reply.expectsAnswer || !faults.strike('ussd-as-menu')) return undefined
  return { kind: 'text', text: '1 Continue\n0 Exit', expectsAnswer: true }
}

function garbled(faults: FaultControl, [string, coding]: readonly [string, number]): readonly [string, number] {
  if (!faults.strike('ussd-garbled')) return [string, coding]
  return [
    `${string.slice(0, string.length >> 1)}\x00\x9f${string.slice((string.length >> 1) + 3)}`,
    coding === 15 ? 17 : 0,
  ]
}

/** The parts of the modem that USSD needs. */
export interface UssdModem {
  readonly clock: Clock
  readonly faults: FaultControl
  readonly network: Network
  readonly sim: Sim | undefined
  readonly settings: EquipmentSettings
  readonly personality: { readonly ussd: 'text' | 'packed' }
  readonly unsolicited: { say(line: string): void }
}
