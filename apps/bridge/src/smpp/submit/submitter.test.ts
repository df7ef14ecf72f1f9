import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectionError } from '@smsgw/client/errors'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from '../../state/bridge-state.ts'
import { SentMessages } from '../../state/sent-messages.ts'
import { ScriptedAccount } from '../../testing/account.ts'
import type { SmppSubmission } from '../protocol/requests.ts'
import { OwnNumbers } from './own-numbers.ts'
import { type ReceiptRequest, SmppSubmitter } from './submitter.ts'

const MINUTE_MS = 60_000
const ADDRESS = { ton: 1, npi: 1, value: '447400123456' }
let now: number
let folder: string
let account: ScriptedAccount
let givenUp: [string, ReceiptRequest][]
let close: () => void
let submitter: SmppSubmitter

beforeEach(() => {
  now = Date.parse('2026-03-01T08:00:00Z')
  folder = mkdtempSync(join(tmpdir(), 'smsgw-submit-'))
  account = new ScriptedAccount()
  givenUp = []
  const database = openState(folder)
  close = () => database.close()
  submitter = new SmppSubmitter({
    database,
    alphabet: 'gsm7',
    refusesSource: false,
    ownNumbers: new OwnNumbers(account.client(), () => now),
    sent: new SentMessages(database, 'smpp'),
    log: openLog('fatal', process.stdout),
    now: () => now,
    wallNow: () => now,
    onGivenUp: (id, request) => givenUp.push([id, request]),
    onMissed: () => undefined,
  })
})
afterEach(() => {
  close()
  rmSync(folder, { recursive: true, force: true })
})

const submit = (values: Partial<SmppSubmission> = {}, api = account.client()) =>
  submitter.submit(
    {
      source: { ton: 0, npi: 0, value: '' },
      destinations: [ADDRESS],
      esmClass: 0,
      priority: 0,
      scheduleTime: '',
      validityPeriod: '',
      registeredDelivery: 0,
      dataCoding: 0,
      userData: Buffer.from('Hello'),
      tlvs: new Map(),
      ...values,
    },
    'session',
    { systemId: 'app', owner: 'key:1', api },
  )
const part = (sequence: number, total: number, { reference = 1, text = `part ${sequence}` } = {}) => ({
  esmClass: 0x40,
  userData: Buffer.concat([Buffer.of(6, 8, 4, reference >> 8, reference & 0xff, total, sequence), Buffer.from(text)]),
})

test('gives up a message whose parts do not arrive for five minutes, with a receipt for each part that requested a receipt', async () => {
  const id = await submit({ ...part(1, 3), registeredDelivery: 1 })
  now += 4 * MINUTE_MS
  await submit({ ...part(2, 3), registeredDelivery: 1 })
  now += 4 * MINUTE_MS
  submitter.sweep()
  expect(givenUp).toEqual([])
  now += 2 * MINUTE_MS
  submitter.sweep()
  expect(givenUp).toMatchObject([[id, { copies: 2, destinations: [ADDRESS], systemId: 'app' }]])
  expect(account.sent).toEqual([])
  // The last part begins another message.
  await submit(part(3, 3))
  expect(account.sent).toEqual([])
})

test('gives up an incomplete message when its client begins another message with the same reference', async () => {
  const id = await submit({ ...part(1, 2, { text: 'old' }), registeredDelivery: 1 })
  await submit(part(1, 2, { text: 'new ' }))
  await submit(part(2, 2, { text: 'text' }))
  expect(givenUp.map(([messageId]) => messageId)).toEqual([id])
  expect(account.sent.map(({ text }) => text)).toEqual(['new text'])
})

test('joins a character that the parts split', async () => {
  const [first, second] = [Buffer.from('d83d', 'hex'), Buffer.from('de00', 'hex')]
  const header = (sequence: number) => Buffer.of(5, 0, 3, 9, 2, sequence)
  await submit({ esmClass: 0x40, dataCoding: 8, userData: Buffer.concat([header(1), first]) })
  await submit({ esmClass: 0x40, dataCoding: 8, userData: Buffer.concat([header(2), second]) })
  expect(account.sent.map(({ text }) => text)).toEqual(['😀'])
})

test('limits the size of a part, and the messages that wait for parts', async () => {
  await expect(submit(part(1, 2, { text: 'x'.repeat(1_025) }))).rejects.toMatchObject({ status: 'ESME_RINVMSGLEN' })
  for (let reference = 0; reference < 1_000; reference += 1) await submit(part(1, 2, { reference }))
  await expect(submit(part(1, 2, { reference: 1_000 }))).rejects.toMatchObject({ status: 'ESME_RMSGQFUL' })
  // The other messages can still be completed.
  await submit(part(2, 2, { reference: 999 }))
  expect(account.sent).toHaveLength(1)
  await submit(part(1, 2, { reference: 1_000 }))
})

test('recognises a repeated message for five minutes', async () => {
  const tlvs = new Map([[0x0204, Buffer.of(0, 1)]])
  const again = () =>
    submitter.submit(
      {
        source: ADDRESS,
        destinations: [ADDRESS],
        esmClass: 0,
        priority: 0,
        scheduleTime: '',
        validityPeriod: '',
        registeredDelivery: 0,
        dataCoding: 0,
        userData: Buffer.from('Hello'),
        tlvs,
      },
      `session ${now}`,
      { systemId: 'app', owner: 'key:1', api: account.client() },
    )
  const id = await again()
  now += 4 * MINUTE_MS
  expect(await again()).toBe(id)
  now += 2 * MINUTE_MS
  submitter.sweep()
  expect(await again()).not.toBe(id)
  expect(account.sent).toHaveLength(2)
})

test('a repeated last part with a relative validity is the same request', async () => {
  const requests: unknown[] = []
  account.beforeSend = Promise.reject(new ConnectionError('the answer was lost'))
  account.beforeSend.catch(() => undefined)
  const api = account.client()
  const { send } = api.messages
  api.messages.send = (message, options) => {
    requests.push(message)
    return send(message, options)
  }
  const last = () => submit({ ...part(2, 2), validityPeriod: '000000010000000R' }, api)
  await submit(part(1, 2))
  await expect(last()).rejects.toMatchObject({ status: 'ESME_RSYSERR' })
  now += MINUTE_MS
  account.beforeSend = Promise.resolve()
  await last()
  expect(requests[1]).toEqual(requests[0])
  expect(requests[0]).toMatchObject({ ttl: 3_600 })
})
