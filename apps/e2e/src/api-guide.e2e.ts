import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { commandsWith } from './house/documented-commands.ts'
import { House } from './house/house.ts'
import { HouseProcess } from './house/machine/process.ts'

const GUIDE = 'docs/api.md'
let house: House
let folder: string
/** The variable assignments of all earlier blocks. They run before each block, so that variables stay set. */
let typed = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-guide-'))
  house = await House.start()
  await house.untilReady()
  const { username, password } = house.user
  const settings = commandsWith(GUIDE, 'SMS=').join('\n')
  typed = settings
    .replace('http://127.0.0.1:3000', house.relayUrl)
    .replace("'sms:tea at half past four'", `'${username}:${password}'`)
})

afterAll(async () => {
  await house?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the commands of the guide create an API key, send a message, and show its state and the inbox', async () => {
  await type('"$SMS/keys"')
  const accepted = JSON.parse(await type('Idempotency-Key'))
  expect(accepted).toMatchObject({ id: 'order:4711', state: 'Pending' })
  await house.api.until('order:4711', ({ state }) => state === 'Delivered')
  expect(JSON.parse(await type('messages/order:4711" -H "Authorization: Bearer $KEY'))).toMatchObject({
    id: 'order:4711',
    state: 'Delivered',
  })
  expect(house.emulator.ledger()).toMatchObject([{ destination: '+447400123456', text: 'It is on its way' }])

  const incoming = { from: '+447400200001', to: 'modem0', text: 'Thank you' }
  await house.emulator.instruct('send-text', incoming)
  await eventually(
    async () => (await house.api.ask('GET', '/inbox')).json,
    (items) => items.length > 0,
  )
  expect(JSON.parse(await type('/inbox'))).toMatchObject([{ sender: incoming.from, text: incoming.text }])
})

test('repeating the request sends no second message', async () => {
  expect(JSON.parse(await type('Idempotency-Key'))).toMatchObject({ id: 'order:4711' })
  expect(house.emulator.ledger()).toHaveLength(1)
})

test('the parameter allowShortCodes sends to a short code', async () => {
  expect(JSON.parse(await type('allowShortCodes'))).toMatchObject({ recipients: [{ phoneNumber: '72727' }] })
  await eventually(
    () => house.emulator.ledger(),
    (sent) => sent.some(({ destination, text }) => destination === '72727' && text === 'STATUS'),
  )
})

test('the commands of the guide issue a token, use it and refresh it', async () => {
  expect(JSON.parse(await type('auth/token"'))).toMatchObject({ id: 'order:4711' })
  expect(JSON.parse(await type('auth/token/refresh'))).toMatchObject({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
  })
})

/** Runs the block that contains the text, after all earlier blocks. Returns the output of its last command. */
async function type(part: string): Promise<string> {
  const block = commandsWith(GUIDE, part).join('\n')
  const terminal = new HouseProcess(part, 'bash', ['-c', `${typed}\n${block}`], {}, { folder })
  const code = await terminal.ended()
  expect({ code, complaints: terminal.complaints }).toEqual({ code: 0, complaints: '' })
  if (/^\w+=/m.test(block))
    typed += `\n${block
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .join('\n')}`
  return terminal.lines.join('\n')
}
