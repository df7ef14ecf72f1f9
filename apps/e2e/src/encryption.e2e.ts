// Messages that only the device can read, sent with the example program of the documentation.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { HouseProcess } from './house/process.ts'

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
  const { json: logs } = await gateway.api.ask('GET', '/logs')
  expect(JSON.stringify(logs)).toContain('encryption key replaced: version 2 is in use')
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
  expect(recipients[0]).toMatchObject({
    errorCode: 'undecryptable',
    error: expect.stringContaining(
      'the phone number is encrypted for version 3 of the key, which this agent does not have',
    ),
  })
})
