import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SendCommand } from '@smsgw/contract/link/command'
import { beforeEach, expect, test } from 'vitest'
import { DeviceKeys } from '../../encryption/device-keys.ts'
import { SenderFixture, sendCommand } from '../../testing/sender-fixture.ts'
import { FieldOpener } from './encrypted-field.ts'

let world: SenderFixture

beforeEach(async () => {
  world = new SenderFixture({ opener: new FieldOpener({ passphrase: 'secret' }) })
  await world.sender.simReady(world.sim(1))
})

test('decrypts text and numbers with the passphrase, and reports the reason when decryption fails', async () => {
  await world.accept(
    sendCommand('a', { isEncrypted: true, phoneNumber: sealed('+447700900555'), content: { text: sealed('héllo') } }),
    sendCommand('b', {
      isEncrypted: true,
      phoneNumber: sealed('+447700900555', 'other'),
      content: { text: sealed('x') },
    }),
  )
  await world.pass(100)
  // Waits in real time, because deriving a key takes real time.
  await expect.poll(() => world.pass(100).then(() => world.events('failed'))).toHaveLength(1)
  expect(world.sent[0]).toMatchObject({ text: 'héllo', submit: { destination: { value: '447700900555' } } })
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'b', code: 'undecryptable' }])
})

test('sends to the number of an alias that this agent made, with clear and with encrypted text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-alias-'))
  try {
    const deviceKeys = await DeviceKeys.load(join(folder, 'keys.json'))
    const other = await DeviceKeys.load(join(folder, 'other.json'))
    world = new SenderFixture({ opener: new FieldOpener({ passphrase: 'secret', deviceKeys }) })
    await world.sender.simReady(world.sim(1))
    const phoneNumber = deviceKeys.aliases.aliasOf('+447700900555', deviceKeys.current)
    await world.accept(
      sendCommand('a', { phoneNumber, content: { text: 'clear' } }),
      sendCommand('b', { phoneNumber, isEncrypted: true, content: { text: sealed('encrypted') } }),
      sendCommand('c', { phoneNumber: other.aliases.aliasOf('+447700900555', other.current), content: { text: 'x' } }),
    )
    await expect.poll(() => world.pass(100).then(() => world.sent)).toHaveLength(2)
    expect(world.sent.map(({ text, submit }) => [text, submit.destination.value]).toSorted()).toEqual([
      ['clear', '447700900555'],
      ['encrypted', '447700900555'],
    ])
    await expect
      .poll(() => world.pass(100).then(() => world.events('failed')))
      .toMatchObject([
        {
          cmdId: 'c',
          code: 'undecryptable',
          reason: expect.stringContaining('is an alias from another device'),
        },
      ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('decrypts data to base64, and sends its octets to the port', async () => {
  const phoneNumber = sealed('+447700900555')
  const data = Buffer.from([1, 2, 255]).toString('base64')
  await world.accept(sendCommand('a', { isEncrypted: true, phoneNumber, content: { data: sealed(data), port: 2948 } }))
  await expect.poll(() => world.pass(100).then(() => world.sent)).toHaveLength(1)
  expect(world.sent[0]?.text).toBe('0102FF')
})

const part = (length: number) => Buffer.alloc(length, 1).toString('base64')
const publicKeyField = `$rsa-oaep-aes-256-gcm$v=1$k=1$${part(256)}$${part(12)}$${part(20)}`
const octets = Buffer.from([1, 2, 255]).toString('base64')
test.each<[what: string, command: Partial<SendCommand>, reason: string]>([
  ['plain text', { content: { text: 'PIN 4711' } }, 'textMessage.text is not encrypted'],
  ['plain data', { content: { data: octets, port: 1 } }, 'dataMessage.data is not encrypted'],
  ['a plain number', { phoneNumber: '+447700900555' }, 'the phone number is not encrypted'],
  [
    'text for an unknown key',
    { content: { text: publicKeyField } },
    'textMessage.text is encrypted for key version 1, which this agent does not have',
  ],
  ['text for another passphrase', { content: { text: sealed('x', 'other') } }, 'textMessage.text cannot be decrypted'],
  [
    'data that is not base64',
    { content: { data: sealed('é'), port: 1 } },
    'dataMessage.data does not decrypt to base64',
  ],
  ['no data', { content: { data: sealed(''), port: 1 } }, 'dataMessage.data does not decrypt to base64'],
])(
  'does not send a message that is marked as encrypted but contains %s, and reports the reason',
  async (_, command, reason) => {
    const encrypted = { isEncrypted: true, phoneNumber: sealed('+447700900555'), content: { text: sealed('x') } }
    await world.accept(sendCommand('a', { ...encrypted, ...command }))
    await expect.poll(() => world.pass(100).then(() => world.events('failed'))).toHaveLength(1)
    const [failed] = await world.events('failed')
    expect(failed).toMatchObject({ code: 'undecryptable', reason: expect.stringContaining(reason) })
    expect(world.sent).toEqual([])
  },
)

test('without a passphrase, does not send an encrypted message, and the error describes the solution', async () => {
  world = new SenderFixture()
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { isEncrypted: true, phoneNumber: sealed('+447700900555') }))
  await expect.poll(() => world.pass(100).then(() => world.events('failed'))).toHaveLength(1)
  const reason =
    'the phone number is encrypted with a passphrase, but this agent has none: set ENCRYPTION_PASSPHRASE for the agent'
  expect(await world.events('failed')).toMatchObject([{ code: 'undecryptable', reason }])
})

function sealed(text: string, passphrase = 'secret'): string {
  const salt = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(passphrase, salt, 1000, 32, 'sha1'), salt)
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64')
  return `$aes-256-cbc/pbkdf2-sha1$i=1000$${salt.toString('base64')}$${ciphertext}`
}
