import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Emulator } from './house/emulator.ts'
import { Gateway, preparedFolder } from './house/gateway.ts'
import { freePort } from './house/machine/free-port.ts'

// Tests a gateway whose only modem is a HiLink stick, with real processes and real HTTP between them.

const stick = { personality: 'huawei-hilink', number: '+447700900001' }
const long = 'All work and no play makes Jack a dull boy. '.repeat(8)

let folder: string
let emulator: Emulator
let gateway: Gateway

beforeAll(async () => {
  folder = preparedFolder()
  emulator = await Emulator.start(folder, [stick])
  gateway = await Gateway.start({ ...settings(), PORT: String(await freePort()) }, { folder })
})

afterAll(async () => {
  await gateway?.process.stop()
  await emulator?.process.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The time that a message stays in doubt is shortened, but not skipped. */
function settings() {
  return { MODEMS: emulator.stick(), IN_DOUBT_SECONDS: '10', IN_DOUBT_HOLD_SECONDS: '2' }
}

test('sends and receives texts of any length; without delivery reports, a message stays Sent', async () => {
  const texts = ['Hello', 'Привет 👍 <&>', long]
  for (const [at, text] of texts.entries()) {
    const phoneNumbers = [`+44740020000${at}`]
    const id = await gateway.api.send({ phoneNumbers, textMessage: { text }, withDeliveryReport: true })
    expect((await gateway.api.until(id, isEnded)).state).toBe('Sent')
    expect(sentTo(`+44740020000${at}`)).toEqual([text])
    await emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: `in: ${text}` })
  }
  await inboxHolds(texts.map((text) => `in: ${text}`))
})

test('refuses data messages with an error code', async () => {
  const dataMessage = { data: 'AAEC', port: 5000 }
  const id = await gateway.api.send({ phoneNumbers: ['+447400200009'], dataMessage })
  const { recipients } = await gateway.api.until(id, isEnded)
  expect(recipients[0]?.errorCode).toBe('unwritable')
})

test('loses and repeats no message when the gateway is killed six times', async () => {
  const port = new URL(gateway.url).port
  const sent = new Map<string, { readonly destination: string; readonly text: string }>()
  const received: string[] = []
  for (let round = 0; round < 6; round += 1) {
    for (let at = 0; at < 4; at += 1) {
      const destination = `+4474003${String(round * 4 + at).padStart(5, '0')}`
      const text = at === 3 ? `${long}${round}` : `round ${round}, message ${at}`
      sent.set(await gateway.api.send({ phoneNumbers: [destination], textMessage: { text } }), { destination, text })
    }
    for (const text of [`round ${round}`, `${round} ${long}`]) {
      received.push(text)
      await emulator.instruct('send-text', { from: '+447400900002', to: 'modem0', text })
    }
    // Kills the gateway at another moment each time. Sticks are polled every three seconds.
    await sleep(round * 700)
    await gateway.process.kill()
    await sleep(100)
    gateway = await Gateway.start({ ...settings(), PORT: port }, { folder })
  }
  for (const [id, { destination, text }] of sent) {
    const { recipients } = await gateway.api.until(id, isEnded)
    const onAir = sentTo(destination)
    if (recipients[0]?.errorCode === 'submit_unknown') expect(onAir.length, id).toBeLessThanOrEqual(1)
    else expect(onAir, `${id}: ${recipients[0]?.error}`).toEqual([text])
  }
  await inboxHolds(received)
})

test('uses the stick again after it was killed, and leaves a message without an answer in doubt', async () => {
  await emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-answer-lost', options: { times: 1 } })
  const doubtful = await gateway.api.send({ phoneNumbers: ['+447400400001'], textMessage: { text: 'doubtful' } })
  const { recipients } = await gateway.api.until(doubtful, isEnded)
  expect(recipients[0]?.errorCode).toBe('submit_unknown')
  expect(sentTo('+447400400001')).toEqual(['doubtful'])

  const tcp = emulator.stick().replace('hilink://', '')
  await emulator.process.kill()
  const waiting = await gateway.api.send({ phoneNumbers: ['+447400400002'], textMessage: { text: 'waiting' } })
  await sleep(5_000)
  emulator = await Emulator.start(folder, [{ ...stick, tcp }])
  expect((await gateway.api.until(waiting, isEnded)).state).toBe('Sent')
  expect(sentTo('+447400400002')).toEqual(['waiting'])
  expect(sentTo('+447400400001')).toEqual(['doubtful'])
})

/** Returns the texts that the network accepted for this number. The parts of long texts are joined. */
function sentTo(destination: string): readonly string[] {
  const texts: string[] = []
  for (const { text, part, ...line } of emulator.ledger()) {
    if (line.destination !== destination) continue
    if (part === undefined || part.sequence === 1) texts.push(text ?? '')
    else texts.push(`${texts.pop()}${text}`)
  }
  return texts
}

async function inboxHolds(texts: readonly string[]): Promise<void> {
  const inbox = async () => {
    const messages = (await gateway.api.ask('GET', '/inbox?limit=100')).json as { text: string }[]
    return messages.map(({ text }) => text).filter((text) => texts.includes(text))
  }
  await expect.poll(inbox).toHaveLength(texts.length)
  expect([...(await inbox())].sort()).toEqual([...texts].sort())
}

function isEnded({ state }: { readonly state: string }): boolean {
  return ['Sent', 'Delivered', 'Failed'].includes(state)
}
