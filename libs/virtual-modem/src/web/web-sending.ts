import { addressFromText } from '@smsgw/sms/fields/address'
import { joinOctets } from '@smsgw/sms/octets'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeSubmit } from '@smsgw/sms/tpdu/submit'
import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import { readOutgoing } from '../messaging/outgoing.ts'
import { decoded } from '../messaging/pdu.ts'
import { elements, okReply, refusalReply, webErrors, xmlAnswer } from './web-reply.ts'
import { fieldOf, type WebReply } from './web-request.ts'

/** Sends the texts that programs write into the web interface. A status shows the progress of the last text. */
export class WebSending {
  readonly #modem: MobileEquipment
  readonly #copies: SentCopies
  #status: SendStatus = idle
  #reference = 0

  constructor(modem: MobileEquipment, copies: SentCopies) {
    this.#modem = modem
    this.#copies = copies
  }

  send(body: string, finish: (reply: WebReply) => void): void {
    const { faults, clock, power } = this.#modem
    const phone = fieldOf(body, 'Phone') ?? ''
    const text = fieldOf(body, 'Content') ?? ''
    const parts = decoded(() => this.#partsOf(phone, text))
    if (parts === undefined) {
      finish(refusalReply(webErrors.format))
      return
    }
    if (this.#status.phase === 'sending') {
      finish(refusalReply(webErrors.busy))
      return
    }
    const broken = faults.strike('submit-error')
    if (broken && !broken.accepted) {
      finish(refusalReply(webErrors.busy))
      return
    }
    const drop = faults.strike('submit-port-drop')
    const reboot = drop ? undefined : faults.strike('submit-reboot')
    const vanish = drop ? () => power.dropPort(drop.forMs) : reboot ? () => power.restart() : undefined
    if (vanish && !(drop ?? reboot)?.accepted) {
      vanish()
      return
    }
    this.#status = { phase: 'sending', phone }
    const lost = faults.strike('submit-answer-lost')
    const hang = faults.strike('submit-hang')
    const slow = faults.strike('submit-slow')
    this.#submit(parts, 0, (isSent) => {
      const settle = () => {
        this.#status = { phase: isSent ? 'sent' : 'failed', phone }
        this.#copies.keep(phone, text, this.#now)
      }
      if (slow) clock.after(slow.delayMs, settle)
      else settle()
      if (vanish) vanish()
      else if (lost) finish({ kind: 'dropped' })
      else if (hang) clock.after(hang.forMs, () => finish(hang.answered ? okReply : { kind: 'dropped' }))
      else if (broken) finish(refusalReply(webErrors.timeout))
    })
    if (!vanish && !lost && !hang && !broken) finish(okReply)
  }

  #partsOf(phone: string, text: string): readonly Uint8Array[] {
    this.#reference = (this.#reference + 1) & 0xff
    const { parts, dataCodingScheme } = segment(text, { reference: this.#reference })
    const destination = addressFromText(phone)
    return parts.map((userData) =>
      joinOctets([
        new Uint8Array(1),
        encodeSubmit({
          kind: 'submit',
          rejectDuplicates: false,
          replyPath: false,
          statusReportRequest: false,
          messageReference: 0,
          destination,
          protocolIdentifier: 0,
          dataCodingScheme,
          validityPeriod: undefined,
          userData,
        }),
      ]),
    )
  }

  #submit(parts: readonly Uint8Array[], at: number, done: (isSent: boolean) => void): void {
    const pdu = parts[at]
    if (pdu === undefined) done(true)
    else {
      this.#modem.outgoing.send(readOutgoing(pdu), ({ ok: isSent }) => {
        if (isSent) this.#submit(parts, at + 1, done)
        else done(false)
      })
    }
  }

  status(): WebReply {
    const { phase, phone } = this.#status
    return xmlAnswer(
      elements({
        Phone: phase === 'sending' ? phone : '',
        SucPhone: phase === 'sent' ? phone : '',
        FailPhone: phase === 'failed' ? phone : '',
        TotalCount: phase === 'idle' ? 0 : 1,
        CurIndex: phase === 'idle' ? 0 : 1,
      }),
    )
  }

  get #now(): string {
    const { epochMs, network } = this.#modem
    return new Date(epochMs + network.zoneQuarters * 900_000).toISOString().slice(0, 19).replace('T', ' ')
  }
}

/** The copies of messages that a stick has sent or failed to send. */
export class SentCopies {
  list: readonly SentCopy[] = []
  #last = 50_000

  keep(phone: string, content: string, date: string): void {
    this.#last += 1
    this.list = [...this.list, { index: this.#last, phone, content, date, type: 1 }]
  }
}

interface SentCopy {
  readonly index: number
  readonly phone: string
  readonly content: string
  readonly date: string
  readonly type: 1
}

interface SendStatus {
  readonly phase: 'idle' | 'sending' | 'sent' | 'failed'
  readonly phone: string
}

const idle: SendStatus = { phase: 'idle', phone: '' }
