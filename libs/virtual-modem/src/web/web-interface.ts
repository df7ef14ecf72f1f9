import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import type { Storage } from '../messaging/storages.ts'
import { loginPassword } from './login-password.ts'
import { shownMessages } from './web-inbox.ts'
import { elements, okReply, refusalReply, webErrors, xmlAnswer } from './web-reply.ts'
import { elementsOf, fieldOf, type WebReply, type WebRequest, xmlText } from './web-request.ts'
import { type SentCopies, WebSending } from './web-sending.ts'
import { WebUssd } from './web-ussd.ts'

/**
 * The XML interface that the web pages of a HiLink stick use. An object exists only while the stick is on, so sessions
 * end when the stick is switched off.
 *
 * A request is executed if it contains a valid session. A POST must also contain an unused token. Each reply to a POST
 * contains the next token.
 */
export class WebInterface {
  readonly #modem: MobileEquipment
  readonly #copies: SentCopies
  readonly #sessions = new Map<string, string[]>()
  /** The sessions with a login. */
  readonly #loggedIn = new Set<string>()
  #wrongLogins = 0
  readonly #sending: WebSending
  readonly #ussd: WebUssd
  #isHung = false

  /** The list `copies` survives a loss of power. */
  constructor(modem: MobileEquipment, copies: SentCopies) {
    this.#modem = modem
    this.#copies = copies
    this.#sending = new WebSending(modem, copies)
    this.#ussd = new WebUssd(modem)
  }

  /** Resolves with the reply. Never resolves if a fault drops the reply. */
  handle(request: WebRequest): Promise<WebReply> {
    const { faults, clock } = this.#modem
    return new Promise((resolve) => {
      // A stick that hangs accepts connections and replies to none, until it restarts.
      if (faults.standing('modem-hang')?.command === '' && faults.strike('modem-hang')) this.#isHung = true
      if (this.#isHung) return
      const isMeant = (path: string) => path === '' || request.path.endsWith(path)
      const strike = <N extends 'web-late' | 'web-lost' | 'web-cut' | 'web-rubbish' | 'web-huge' | 'web-redirect'>(
        name: N,
      ) => (isMeant(faults.standing(name)?.path ?? '\0') ? faults.strike(name) : undefined)
      if (faults.strike('web-sessions-lost')) this.#sessions.clear()
      if (strike('web-redirect')) {
        resolve({ kind: 'answer', status: 307, headers: { location: elsewhere }, body: '' })
        return
      }
      this.#answer(request, (reply) => {
        const late = strike('web-late')
        const deliver = () => {
          if (strike('web-lost')) resolve({ kind: 'dropped' })
          else if (strike('web-rubbish')) resolve(xmlAnswer('<html><body>&nbsp<p>502</html>'))
          else if (strike('web-huge')) resolve(xmlAnswer(`<response>${' '.repeat(hugeOctets)}</response>`))
          else if (reply.kind === 'answer' && strike('web-cut')) resolve({ ...reply, cutAfter: reply.body.length >> 1 })
          else resolve(reply)
        }
        if (late) clock.after(late.delayMs, deliver)
        else deliver()
      })
    })
  }

  #answer({ method, path, headers, body }: WebRequest, done: (reply: WebReply) => void): void {
    if (method === 'GET' && path === '/api/webserver/SesTokInfo') {
      done(this.#newSession())
      return
    }
    const id = /SessionID=([^;]+)/.exec(headers['cookie'] ?? '')?.[1] ?? ''
    const tokens = this.#sessions.get(id)
    if (tokens === undefined) {
      done(refusalReply(webErrors.session))
      return
    }
    if (method === 'POST') {
      const token = headers[tokenHeader] ?? ''
      if (!tokens.includes(token)) {
        done(refusalReply(webErrors.token))
        return
      }
      tokens.splice(tokens.indexOf(token), 1)
      if (path === '/api/user/login') {
        done(this.#logIn(body, token))
        return
      }
    }
    if (this.#modem.faults.standing('web-login') && !this.#loggedIn.has(id)) {
      done(refusalReply(webErrors.login))
      return
    }
    const finish = (reply: WebReply) => {
      if (method !== 'POST' || reply.kind !== 'answer') done(reply)
      else {
        const next = this.#randomText()
        tokens.push(next)
        done({ ...reply, headers: { ...reply.headers, [tokenHeader]: next } })
      }
    }
    const handler = this.#handlers[`${method} ${path}`]
    const missing = this.#modem.faults.standing('web-unsupported')?.path
    if (handler === undefined || (missing !== undefined && path.endsWith(missing)))
      finish(refusalReply(webErrors.unsupported))
    else handler(body, finish)
  }

  readonly #handlers: Readonly<Record<string, (body: string, finish: (reply: WebReply) => void) => void>> = {
    'GET /api/device/information': (_, finish) => finish(this.#information()),
    'GET /api/device/signal': (_, finish) => finish(this.#signal()),
    'GET /api/monitoring/status': (_, finish) => finish(this.#status()),
    'GET /api/net/current-plmn': (_, finish) => finish(this.#operator()),
    'GET /api/pin/status': (_, finish) => finish(this.#pinStatus()),
    'POST /api/pin/operate': (body, finish) => finish(this.#operatePin(body)),
    'GET /api/sms/sms-count': (_, finish) => finish(this.#count()),
    'POST /api/sms/sms-list': (body, finish) => finish(this.#list(body)),
    'POST /api/sms/delete-sms': (body, finish) => finish(this.#delete(body)),
    'POST /api/sms/send-sms': (body, finish) => this.#sending.send(body, finish),
    'GET /api/sms/send-status': (_, finish) => finish(this.#sending.status()),
    'POST /api/ussd/send': (body, finish) => finish(this.#ussd.send(fieldOf(body, 'content') ?? '')),
    'GET /api/ussd/get': (_, finish) => finish(this.#ussd.answer()),
    'GET /api/ussd/status': (_, finish) => finish(this.#ussd.status()),
    'GET /api/ussd/release': (_, finish) => finish(this.#ussd.release()),
    'POST /api/device/control': (body, finish) => {
      finish(okReply)
      if (fieldOf(body, 'Control') === '1') this.#modem.clock.after(100, () => this.#modem.power.restart())
    },
  }

  /** A successful login opens another session, with several tokens. */
  #logIn(body: string, token: string): WebReply {
    const password = this.#modem.faults.standing('web-login')?.password ?? ''
    if (this.#wrongLogins >= mostWrongLogins) return refusalReply(webErrors.tooManyLogins)
    const isRight =
      password !== '' &&
      fieldOf(body, 'Username') === 'admin' &&
      fieldOf(body, 'password_type') === '4' &&
      fieldOf(body, 'Password') === loginPassword('admin', password, token)
    if (!isRight) {
      this.#wrongLogins += 1
      return refusalReply(webErrors.credentials)
    }
    const id = this.#randomText()
    const tokens = Array.from({ length: 3 }, () => this.#randomText())
    this.#sessions.set(id, tokens)
    this.#loggedIn.add(id)
    const [one = '', two = ''] = tokens
    return {
      kind: 'answer',
      status: 200,
      headers: {
        'content-type': 'text/xml',
        'set-cookie': `SessionID=${id};path=/;HttpOnly;`,
        [`${tokenHeader}one`]: one,
        [`${tokenHeader}two`]: two,
        [tokenHeader]: tokens.join('#'),
      },
      body: '<?xml version="1.0" encoding="UTF-8"?><response>OK</response>',
    }
  }

  #newSession(): WebReply {
    const id = this.#randomText()
    const token = this.#randomText()
    this.#sessions.set(id, [token])
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest)
    return xmlAnswer(elements({ SesInfo: `SessionID=${id}`, TokInfo: token }))
  }

  #information(): WebReply {
    const { sim, imei, personality, simUsable } = this.#modem
    return xmlAnswer(
      elements({
        DeviceName: personality.identity.model,
        SerialNumber: `EMU${imei.slice(-8)}`,
        Imei: imei,
        Imsi: simUsable ? sim?.imsi : '',
        Iccid: sim?.iccid,
        Msisdn: simUsable ? sim?.ownNumbers.at(1)?.number : '',
        SoftwareVersion: personality.identity.revision,
        Classify: 'hilink',
      }),
    )
  }

  #signal(): WebReply {
    const dbm = this.#modem.radio.signalDbm
    return xmlAnswer(elements({ rssi: dbm === undefined ? '' : `${dbm}dBm`, rsrp: '', rsrq: '' }))
  }

  #status(): WebReply {
    const { radio, simUsable } = this.#modem
    const dbm = radio.signalDbm
    const icon = dbm === undefined ? 0 : Math.max(0, Math.min(5, Math.round((dbm + 113) / 12)))
    return xmlAnswer(
      elements({
        ConnectionStatus: radio.registered ? 901 : 902,
        SignalIcon: icon,
        maxsignal: 5,
        CurrentNetworkType: radio.registered ? 19 : 0,
        ServiceStatus: radio.registered ? 2 : 0,
        RoamingStatus: radio.coverage?.stat === 5 ? 1 : 0,
        SimStatus: simUsable ? 1 : 255,
        classify: 'hilink',
      }),
    )
  }

  #operator(): WebReply {
    const { radio } = this.#modem
    const operator = radio.registered ? radio.coverage?.operator : undefined
    return xmlAnswer(
      elements({ State: 0, FullName: operator?.name, ShortName: operator?.name, Numeric: operator?.numeric, Rat: 7 }),
    )
  }

  #pinStatus(): WebReply {
    const { sim, pinState, simUsable } = this.#modem
    const state =
      pinState === undefined
        ? noSim
        : pinState === 'SIM PIN'
          ? pinRequired
          : pinState === 'SIM PUK'
            ? pukRequired
            : simUsable
              ? pinReady
              : simStarting
    return xmlAnswer(
      elements({
        SimState: state,
        SimPinTimes: sim?.guard.pin.attemptsLeft ?? 0,
        SimPukTimes: sim?.guard.pin.pukAttemptsLeft ?? 0,
      }),
    )
  }

  #operatePin(body: string): WebReply {
    const { sim } = this.#modem
    if (sim === undefined || fieldOf(body, 'OperateType') !== '0') return refusalReply(webErrors.format)
    if (!sim.guard.verify(fieldOf(body, 'CurrentPin') ?? '')) return refusalReply(webErrors.pin)
    this.#modem.pinAccepted()
    return okReply
  }

  get #storage(): Storage | undefined {
    return this.#modem.storages.get('ME')
  }

  #count(): WebReply {
    const used = this.#storage?.used ?? 0
    const total = this.#storage?.capacity ?? 0
    return xmlAnswer(
      elements({
        LocalUnread: used,
        LocalInbox: this.#modem.faults.standing('storage-full') ? total : used,
        LocalOutbox: this.#copies.list.length,
        LocalDraft: 0,
        LocalMax: total,
      }),
    )
  }

  #list(body: string): WebReply {
    const number = (name: string) => Number(fieldOf(body, name) ?? 0)
    const received = () => (this.#storage === undefined ? [] : shownMessages(this.#storage))
    const all = number('BoxType') === 2 ? this.#copies.list : received()
    const sorted = [...all].sort(
      (one, other) => (one.date < other.date ? -1 : Number(one.date > other.date)) || one.index - other.index,
    )
    if (number('Ascending') !== 1) sorted.reverse()
    const start = (number('PageIndex') - 1) * number('ReadCount')
    const page = sorted.slice(start, start + number('ReadCount'))
    const entries = page.map(({ index, phone, content, date, type }) =>
      [
        '<Message>',
        elements({ Smstat: 0, Index: index, Phone: phone, Content: content, Sca: '', SmsType: type }),
        `<Date>${xmlText(date)}</Date>`,
        '</Message>',
      ].join(''),
    )
    return xmlAnswer(`<Count>${page.length}</Count><Messages>${entries.join('\n')}</Messages>`)
  }

  #delete(body: string): WebReply {
    const { faults } = this.#modem
    if (faults.strike('delete-refused')) return refusalReply(webErrors.delete)
    const indexes = elementsOf(body, 'Index').map(Number)
    const partly = indexes.length > 1 ? faults.strike('web-deletes-partly') : undefined
    const deleted = new Set(indexes.slice(0, partly?.deletes))
    const storage = this.#storage
    const messages = storage === undefined ? [] : shownMessages(storage).filter(({ index }) => deleted.has(index))
    for (const slot of messages.flatMap(({ slots }) => slots)) storage?.remove(slot)
    this.#copies.list = this.#copies.list.filter(({ index }) => !deleted.has(index))
    return partly?.refused ? refusalReply(webErrors.delete) : okReply
  }

  #randomText(): string {
    const { random } = this.#modem
    return Array.from({ length: 4 }, () => random.integer(0x1000000).toString(36)).join('')
  }
}

const tokenHeader = '__requestverificationtoken'
const elsewhere = 'http://192.0.2.1/html/home.html'
const hugeOctets = 4 * 1024 * 1024
const mostWrongLogins = 3
const mostSessions = 8

// `SimState` of `pin/status`
const noSim = 255
const simStarting = 256
const pinReady = 257
const pinRequired = 260
const pukRequired = 261
