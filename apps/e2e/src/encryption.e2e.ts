// Uses the example programs of the documentation to test messages that only the device can read, or only the owner of
// the account.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { HouseProcess } from './house/machine/process.ts'
import { openDatabase } from './house/open-database.ts'
import { Receiver } from './house/peers/receiver.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
})

afterAll(() => gateway?.stop())

interface Device {
  readonly id: string
  readonly publicKey: string
  readonly keyVersion: number
  readonly aliasKeys?: readonly object[]
}

const device = async () => ((await gateway.api.ask('GET', '/devices')).json as Device[])[0] as Device

async function sendEncrypted(number: string, text: string): Promise<string> {
  const settings = { SMSGW_URL: gateway.url, SMSGW_PASSWORD: credentialsIn(gateway.folder).password }
  const program = 'docs/examples/send-encrypted.mjs'
  const example = new HouseProcess('example', program, [(await device()).id, number, text], settings)
  return example.said((line) => /^(\S+) Pending$/.exec(line)?.[1])
}

const toNumber = async (number: string) => {
  const found = (await gateway.api.ask('GET', '/virtual-phone')).json as { messages: { to: string; text: string }[] }
  return found.messages.find(({ to }) => to === number)
}

test('only the agent decrypts a message for its key, before and after the key is replaced', async () => {
  expect(statSync(join(gateway.folder, 'encryption-keys.json')).mode & 0o777).toBe(0o600)
  const id = await sendEncrypted('+447400100301', 'secret one')
  const message = await gateway.api.until(id, ({ state }) => state === 'Delivered')
  expect(JSON.stringify([message, (await gateway.api.ask('GET', `/messages/${id}/timeline`)).json])).not.toMatch(
    /secret|7400100301/,
  )
  expect(await eventually(() => toNumber('+447400100301'), Boolean)).toMatchObject({ text: 'secret one' })

  const before = await device()
  const rotate = new HouseProcess('rotate', 'apps/gateway/src/main.ts', ['encryption-key', 'rotate'], {
    DATA_DIR: gateway.folder,
  })
  await rotate.said((line) => (line.startsWith('Version 2 of the encryption key is in use.') ? line : undefined))
  const after = await eventually(device, ({ keyVersion }) => keyVersion === 2)
  expect(after.publicKey).not.toBe(before.publicKey)
  const second = await sendEncrypted('+447400100302', 'secret two')
  await gateway.api.until(second, ({ state }) => state === 'Delivered')
  expect(await eventually(() => toNumber('+447400100302'), Boolean)).toMatchObject({ text: 'secret two' })
})

test('a message for an unknown version of the key fails with the reason, and is not sent', async () => {
  const vectors = readFileSync(join(import.meta.dirname, '../../../docs/examples/encryption-vectors.json'), 'utf8')
  const [number, text] = (JSON.parse(vectors) as { withKey: { value: string }[] }).withKey.map(({ value }) => value)
  const { id: deviceId } = await device()
  const id = await gateway.api.send({
    deviceId,
    isEncrypted: true,
    phoneNumbers: [number],
    textMessage: { text },
  })
  const { recipients } = await gateway.api.until(id, ({ state }) => state === 'Failed')
  expect(recipients[0]).toMatchObject({ errorCode: 'undecryptable', error: expect.stringContaining('version 3') })
})

test('received messages are encrypted with the key of the account, and later with each new key', async () => {
  const receiver = await Receiver.start()
  try {
    await gateway.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:received' })
    const files: string[] = []
    for (const version of [1, 2]) {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const inbox_public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
      files.push(join(gateway.folder, `inbox-${version}.pem`))
      writeFileSync(files.at(-1) ?? '', privateKey.export({ format: 'pem', type: 'pkcs8' }))
      const encryption = { inbox_public_key, inbox_key_version: version }
      expect((await gateway.api.ask('PATCH', '/settings', { encryption })).status).toBe(200)
      await receivedWith(version, receiver)
    }
    const { json: inbox } = await gateway.api.ask('GET', '/inbox?sender=%2B447400100310&includeContent=true')
    const { json: thread } = await gateway.api.ask('GET', '/conversations/%2B447400100310')
    const requests = receiver.requests.filter(({ payload }) => payload['sender'] !== probe)
    const { json: list } = await gateway.api.ask('GET', '/conversations')
    expect(JSON.stringify([inbox, thread, list, requests])).not.toContain('the password is')
    expect(inbox[0]).toMatchObject({ isEncrypted: true, sender: '+447400100310' })
    expect(list[0]).toMatchObject({ lastText: 'encrypted message' })
    const settings = { SMSGW_URL: gateway.url, SMSGW_PASSWORD: credentialsIn(gateway.folder).password }
    const keys = files.map((file, index) => `${index + 1}=${file}`)
    const example = new HouseProcess('example', 'docs/examples/read-encrypted.mjs', keys, settings)
    await example.said((line) => (line === '+447400100310 the password is 2' ? line : undefined))
    await example.said((line) => (line === '+447400100310 the password is 1' ? line : undefined))
  } finally {
    await receiver.stop()
  }
})

test('with hidden senders the database contains no trace of the number, and a reply still reaches it', async () => {
  const receiver = await Receiver.start()
  try {
    await gateway.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:received' })
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const file = join(gateway.folder, 'inbox-3.pem')
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const inbox_public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const encryption = { inbox_public_key, inbox_key_version: 3, inbox_hide_sender: true }
    expect((await gateway.api.ask('PATCH', '/settings', { encryption })).status).toBe(200)
    await eventually(device, ({ aliasKeys = [] }) => aliasKeys.length > 0)

    const number = '+447400100320'
    for (const text of ['meet me', 'at noon']) await gateway.api.ask('POST', '/virtual-phone', { from: number, text })
    const aliases = await eventually(
      async () => receiver.requests.map(({ payload }) => String(payload['sender'])),
      (senders) => senders.length >= 2,
    )
    expect(new Set(aliases)).toEqual(new Set([expect.stringMatching(/^alias:/)]))
    const [alias = ''] = aliases
    expect((await gateway.api.ask('GET', `/conversations/${alias}`)).json).toHaveLength(2)

    const id = await gateway.api.send({ phoneNumbers: [alias], textMessage: { text: 'I will' } })
    await gateway.api.until(id, ({ state }) => state === 'Delivered')
    expect(await eventually(() => toNumber(number), Boolean)).toMatchObject({ text: 'I will' })

    const settings = { SMSGW_URL: gateway.url, SMSGW_PASSWORD: credentialsIn(gateway.folder).password }
    const example = new HouseProcess('example', 'docs/examples/read-encrypted.mjs', [`3=${file}`], settings)
    await example.said((line) => (line === `${number} at noon` ? line : undefined))
    expect(await tablesWith(number.slice(3))).toEqual([])
    expect(await tablesWith(alias)).toContain('inbox')
  } finally {
    await receiver.stop()
  }
})

/** Returns the tables of the database that contain the text anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const database = await openDatabase(gateway.folder)
  try {
    const { rows } = await database.query(`SELECT relname FROM pg_stat_user_tables ORDER BY relname`)
    const found: string[] = []
    for (const { relname } of rows as { relname: string }[]) {
      const query = `SELECT FROM "${relname}" AS row WHERE row::text LIKE '%' || $1 || '%' LIMIT 1`
      if ((await database.query(query, [text])).rowCount !== 0) found.push(relname)
    }
    return found
  } finally {
    await database.end()
  }
}

const probe = '+447400100311'

/**
 * Waits until received messages are encrypted with the key, which the agent gets a moment after the answer. Another
 * number sends messages until one of them is encrypted.
 */
async function receivedWith(version: number, { requests }: Receiver): Promise<void> {
  const last = (sender: string) => requests.findLast(({ payload }) => payload['sender'] === sender)?.payload
  const isOf = (payload?: Readonly<Record<string, unknown>>) => String(payload?.['message']).includes(`$k=${version}$`)
  const receive = async (from: string) => {
    const seen = requests.length
    await gateway.api.ask('POST', '/virtual-phone', { from, text: `the password is ${version}` })
    await eventually(
      async () => requests.length,
      (count) => count > seen,
    )
    return last(from)
  }
  await eventually(() => receive(probe), isOf)
  const received = await receive('+447400100310')
  expect([received?.['isEncrypted'], isOf(received)]).toEqual([true, true])
}
