import { describe, expect, test } from 'vitest'
import type { FaultName } from '../faults/fault-catalogue.ts'
import type { FaultSettings } from '../faults/fault-control.ts'
import { huaweiHilink } from '../personalities/huawei-hilink.ts'
import type { Sim } from '../sim/sim.ts'
import { aliceNumber, bobNumber, EmulatedHost, type EmulatedNetwork, emulatedNetwork } from '../test-setup.ts'
import { fieldOf, type WebReply } from './web-request.ts'

/** A browser that keeps its cookie and the token of the last reply. */
class Browser {
  readonly world: EmulatedNetwork
  readonly host: EmulatedHost
  cookie = ''
  token = ''

  constructor(options: { readonly faults?: FaultSettings; readonly sim?: Sim } = {}) {
    this.world = emulatedNetwork()
    this.host = new EmulatedHost(this.world, { personality: huaweiHilink, ...options })
  }

  async request(method: string, path: string, body = ''): Promise<WebReply | undefined> {
    const headers = { cookie: this.cookie, __requestverificationtoken: this.token }
    const pending = this.host.modem.handleWebRequest({ method, path, headers, body })
    this.host.wait(60_000)
    const reply = await pending
    if (reply?.kind === 'answer') this.token = reply.headers['__requestverificationtoken'] ?? this.token
    return reply
  }

  async get(path: string): Promise<string> {
    return bodyOf(await this.request('GET', path))
  }

  async post(path: string, body: string): Promise<string> {
    return bodyOf(await this.request('POST', path, `<request>${body}</request>`))
  }

  async open(): Promise<this> {
    const body = await this.get('/api/webserver/SesTokInfo')
    this.cookie = fieldOf(body, 'SesInfo') ?? ''
    this.token = fieldOf(body, 'TokInfo') ?? ''
    return this
  }

  list(box = 1): Promise<string> {
    const fields = `<PageIndex>1</PageIndex><ReadCount>20</ReadCount><BoxType>${box}</BoxType><Ascending>1</Ascending>`
    return this.post('/api/sms/sms-list', fields)
  }

  send(phone: string, text: string): Promise<string> {
    const fields = `<Phones><Phone>${phone}</Phone></Phones><Content>${text}</Content>`
    return this.post('/api/sms/send-sms', fields)
  }
}

function bodyOf(reply: WebReply | undefined): string {
  if (reply?.kind !== 'answer') throw new Error(`no answer: ${reply?.kind}`)
  return reply.body
}

const codeIn = (body: string) => fieldOf(body, 'code')

describe('a session', () => {
  test('a session is needed for every request, and a fresh token for every POST', async () => {
    const browser = new Browser()
    expect(codeIn(await browser.get('/api/monitoring/status'))).toBe('125002')
    await browser.open()
    expect(fieldOf(await browser.get('/api/monitoring/status'), 'ServiceStatus')).toBe('2')
    const { token } = browser
    expect(await browser.list()).toContain('<Count>0</Count>')
    expect(browser.token).not.toBe(token)
    browser.token = token
    expect(codeIn(await browser.list())).toBe('125003')
  })

  test('a session ends when the stick restarts', async () => {
    const browser = await new Browser().open()
    browser.host.modem.reboot()
    expect(await browser.request('GET', '/api/monitoring/status')).toBeUndefined()
    browser.host.wait(60_000)
    expect(codeIn(await browser.get('/api/monitoring/status'))).toBe('125002')
  })
})

describe('messages', () => {
  test('messages arrive joined, with entities, and are deleted by their index', async () => {
    const browser = await new Browser().open()
    const text = 'a <b> & "c" '.repeat(30)
    browser.world.network.sendText('+447400123456', aliceNumber, text)
    browser.world.network.sendText('Bank', aliceNumber, 'code')
    browser.host.wait(1000)
    const listed = await browser.list()
    expect(listed).toContain('<Count>2</Count>')
    expect(fieldOf(listed, 'Phone')).toBe('+447400123456')
    expect(fieldOf(listed, 'Content')).toBe(text)
    expect(listed).toContain('<Phone>Bank</Phone>')
    await browser.post('/api/sms/delete-sms', `<Index>${fieldOf(listed, 'Index')}</Index>`)
    expect(await browser.list()).not.toContain('+447400123456')
  })

  test.each<[string, FaultSettings, string, number]>([
    ['all of them', {}, 'OK', 0],
    ['only the first with a fault', { 'web-deletes-partly': {} }, 'OK', 2],
    ['some before an error', { 'web-deletes-partly': { deletes: 2, refused: true } }, '', 1],
  ])('messages are deleted together: %s', async (_name, faults, reply, left) => {
    const browser = await new Browser({ faults }).open()
    for (const text of ['a', 'b', 'c']) browser.world.network.sendText('+447400123456', aliceNumber, text)
    browser.host.wait(1000)
    const indexes = (await browser.list()).match(/<Index>\d+<\/Index>/g) ?? []
    expect(fieldOf(await browser.post('/api/sms/delete-sms', indexes.join('')), 'response') ?? '').toBe(reply)
    expect(fieldOf(await browser.list(), 'Count')).toBe(`${left}`)
  })

  test('messages are shown only when all their parts have arrived', async () => {
    const browser = await new Browser({ faults: { 'part-missing': { sequence: 2 } } }).open()
    browser.world.network.sendText('+447400123456', aliceNumber, 'x'.repeat(300))
    browser.host.wait(1000)
    expect(await browser.list()).toContain('<Count>0</Count>')
  })

  test('messages are sent in parts, with a status and a copy', async () => {
    const browser = await new Browser().open()
    const text = 'x'.repeat(300)
    expect(fieldOf(await browser.send(bobNumber, text), 'response')).toBe('OK')
    expect(fieldOf(await browser.get('/api/sms/send-status'), 'SucPhone')).toBe(bobNumber)
    expect(browser.world.ledger.map((entry) => entry.text).join('')).toBe(text)
    expect(await browser.list(2)).toContain(text)
  })

  test('messages that the network refuses are reported without a reason', async () => {
    const browser = await new Browser().open()
    browser.world.network.setDeliveryPolicy(bobNumber, { outcome: 'rejected', cause: 38 })
    expect(fieldOf(await browser.send(bobNumber, 'a'), 'response')).toBe('OK')
    expect(fieldOf(await browser.get('/api/sms/send-status'), 'FailPhone')).toBe(bobNumber)
  })
})

test('USSD: the answer is pending until the network answers', async () => {
  const browser = await new Browser({ faults: { 'ussd-late': { delayMs: 90_000 } } }).open()
  await browser.post('/api/ussd/send', '<content>*100#</content>')
  expect(codeIn(await browser.get('/api/ussd/get'))).toBe('111019')
  browser.host.wait(60_000)
  expect(fieldOf(await browser.get('/api/ussd/get'), 'content')).toContain('Your balance')
})

test('USSD: sends replies to the network until the last answer, and reports the state of the session', async () => {
  const browser = await new Browser().open()
  const state = async () => fieldOf(await browser.get('/api/ussd/status'), 'result')
  expect(await state()).toBe('0')
  await browser.post('/api/ussd/send', '<content>*101#</content>')
  expect(await state()).toBe('2')
  await browser.post('/api/ussd/send', '<content>1</content>')
  expect(fieldOf(await browser.get('/api/ussd/get'), 'content')).toBe('Balance: 12.34 EUR')
  expect(await state()).toBe('0')
})

test('USSD: a code that is released before its answer opens no session', async () => {
  const browser = await new Browser().open()
  browser.world.network.setLatency(70_000)
  await browser.post('/api/ussd/send', '<content>*101#</content>')
  await browser.get('/api/ussd/release')
  browser.host.wait(70_000)
  browser.world.network.setLatency(0)
  await browser.post('/api/ussd/send', '<content>*101#</content>')
  expect(fieldOf(await browser.get('/api/ussd/get'), 'content')).toContain('1 Balance')
})

test('USSD: the fault ussd-as-menu shows a menu before the answer', async () => {
  const browser = await new Browser({ faults: { 'ussd-as-menu': { times: 1 } } }).open()
  await browser.post('/api/ussd/send', '<content>*100#</content>')
  expect(fieldOf(await browser.get('/api/ussd/get'), 'content')).toContain('1 Continue')
  await browser.post('/api/ussd/send', '<content>1</content>')
  expect(fieldOf(await browser.get('/api/ussd/get'), 'content')).toContain('Your balance')
})

describe('faults', () => {
  const path = 'status'
  test.each<[string, FaultSettings, object]>([
    ['web-lost', { 'web-lost': { path } }, { kind: 'dropped' }],
    ['web-cut', { 'web-cut': { path } }, { kind: 'answer', cutAfter: expect.any(Number) }],
    ['web-rubbish', { 'web-rubbish': { path } }, { kind: 'answer', body: expect.stringContaining('<html>') }],
    ['web-redirect', { 'web-redirect': { path } }, { status: 307, headers: { location: expect.any(String) } }],
    ['web-unsupported', { 'web-unsupported': { path } }, { body: expect.stringContaining('100002') }],
    ['web-login', { 'web-login': {} }, { body: expect.stringContaining('100003') }],
    ['web-sessions-lost', { 'web-sessions-lost': {} }, { body: expect.stringContaining('125002') }],
  ])('%s', async (_name, faults, reply) => {
    const browser = await new Browser().open()
    for (const [name, options] of Object.entries(faults)) browser.host.modem.faults.set(name as FaultName, options)
    expect(await browser.request('GET', '/api/monitoring/status')).toMatchObject(reply)
  })

  test('web-huge: replies with more than any client should read', async () => {
    const browser = await new Browser().open()
    browser.host.modem.faults.set('web-huge', { path })
    expect((await browser.get('/api/monitoring/status')).length).toBeGreaterThan(4_000_000)
  })

  test('modem-hang: replies to nothing until the stick restarts', async () => {
    const browser = await new Browser().open()
    const { modem } = browser.host
    modem.faults.set('modem-hang', { times: 1 })
    const headers = { cookie: browser.cookie, __requestverificationtoken: browser.token }
    const first = modem.handleWebRequest({ method: 'GET', path: '/api/monitoring/status', headers, body: '' })
    const second = modem.handleWebRequest({ method: 'GET', path: '/api/webserver/SesTokInfo', headers: {}, body: '' })
    browser.host.wait(60_000)
    expect(await Promise.race([first, second, Promise.resolve('no reply')])).toBe('no reply')
    modem.reboot()
    browser.host.wait(60_000)
    expect((await browser.open()).cookie).not.toBe('')
  })

  test('web-late: replies after the delay', async () => {
    const browser = await new Browser().open()
    browser.host.modem.faults.set('web-late', { path, delayMs: 5_000 })
    let isAnswered = false
    const headers = { cookie: browser.cookie, __requestverificationtoken: browser.token }
    const pending = browser.host.modem
      .handleWebRequest({ method: 'GET', path: '/api/monitoring/status', headers, body: '' })
      .then(() => {
        isAnswered = true
      })
    browser.host.wait(4_999)
    await Promise.resolve()
    expect(isAnswered).toBe(false)
    browser.host.wait(1)
    await pending
  })
})
