import type { Timer } from '../clock.ts'
import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import { answerWithinMs, menuAround } from '../equipment/ussd-session.ts'
import type { MenuReply } from '../network/ussd-menu.ts'
import { elements, okReply, refusalReply, webErrors, xmlAnswer } from './web-reply.ts'
import type { WebReply } from './web-request.ts'

/**
 * The states of the USSD session of a stick:
 *
 * - closed: the next text is a code.
 * - asked: the network has to answer. After the answer, the session is open if the network expects a reply, else
 *   closed.
 * - open: the network expects a reply, and ends the session after three minutes.
 */
export class WebUssd {
  readonly #modem: MobileEquipment
  #request: { reply: MenuReply | undefined; timeout?: Timer } | undefined
  /** The actual reply, which is sent after the menu that a fault has inserted. */
  #behindMenu: MenuReply | undefined

  constructor(modem: MobileEquipment) {
    this.#modem = modem
  }

  send(text: string): WebReply {
    const { sim, network, faults, clock } = this.#modem
    if (sim === undefined) return refusalReply(webErrors.noSim)
    this.#request?.timeout?.cancel()
    const request: { reply: MenuReply | undefined; timeout?: Timer } = { reply: undefined }
    this.#request = request
    const show = (reply: MenuReply) => {
      if (this.#request !== request) return
      request.reply = reply
      if (isOpen(reply)) request.timeout = clock.after(answerWithinMs, () => this.release())
    }
    const behindMenu = this.#behindMenu
    this.#behindMenu = undefined
    if (behindMenu) {
      clock.after(network.latencyMs(), () => show(behindMenu))
      return okReply
    }
    network.ussd(sim, text, (reply) => {
      if (faults.strike('ussd-lost')) return
      const menu = menuAround(faults, reply)
      if (menu) this.#behindMenu = reply
      clock.after(faults.strike('ussd-late')?.delayMs ?? 0, () => show(menu ?? reply))
    })
    return okReply
  }

  answer(): WebReply {
    const reply = this.#request?.reply
    if (reply === undefined) return refusalReply(webErrors.ussdPending)
    if (reply.kind === 'text') return xmlAnswer(elements({ content: reply.text }))
    return refusalReply(reply.kind === 'not-supported' ? webErrors.ussdUnsupported : webErrors.ussdTimeout)
  }

  /** 0: no session; 1: the network has to answer; 2: the network expects a reply. */
  status(): WebReply {
    const reply = this.#request?.reply
    const result = this.#request === undefined ? 0 : reply === undefined ? 1 : isOpen(reply) ? 2 : 0
    return xmlAnswer(elements({ result }))
  }

  release(): WebReply {
    const { sim, network } = this.#modem
    this.#request?.timeout?.cancel()
    this.#request = undefined
    this.#behindMenu = undefined
    if (sim) network.endUssd(sim)
    return okReply
  }
}

function isOpen(reply: MenuReply): boolean {
  return reply.kind === 'text' && reply.expectsAnswer
}
