// Tests phones together with a dongle, when the network fails and when requests arrive repeatedly. No message may be
// lost, sent twice, or sent by two devices.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { House } from './house/house.ts'
import { LinkProxy } from './house/peers/link-proxy.ts'
import { Phone, PhoneDisk } from './house/peers/phone.ts'
import { Receiver } from './house/peers/receiver.ts'

let house: House
let receiver: Receiver
let proxy: LinkProxy

beforeAll(async () => {
  house = await House.start({ modems: [{ number: '+447700900001' }], relay: { MIX_EMULATED_MODEMS: '1' } })
  receiver = await Receiver.start()
  proxy = await LinkProxy.start(Number(new URL(house.relayUrl).port))
})

afterAll(async () => {
  await house?.stop()
  await receiver?.stop()
  await proxy?.stop()
})

const isSent = ({ state }: { readonly state: string }) => state === 'Sent' || state === 'Delivered'

test('phones whose network drops requests, answers or both send each message once, and so does the dongle', async () => {
  const url = `http://127.0.0.1:${proxy.port}`
  const disks = [new PhoneDisk(), new PhoneDisk(), new PhoneDisk()]
  const phones = await Promise.all(
    disks.map(async (disk, index) => {
      const { token } = await Phone.register(house.relayUrl, house.user, `phone ${index}`)
      return new Phone({ url, token, disk })
    }),
  )
  const ids: string[] = []
  for (const [up, down] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    const send = async () => {
      const number = `+44740030${String(ids.length).padStart(4, '0')}`
      ids.push(await house.api.send({ phoneNumbers: [number], textMessage: { text: `message ${ids.length}` } }))
    }
    for (let count = 0; count < 10; count += 1) await send()
    proxy.swallowsUp = up
    proxy.swallowsDown = down
    for (let count = 0; count < 10; count += 1) await send()
    await new Promise((resolve) => setTimeout(resolve, 500))
    proxy.swallowsUp = false
    proxy.swallowsDown = false
    proxy.cut()
  }
  for (const id of ids) await house.api.until(id, isSent)
  for (const phone of phones) phone.kill()
  const byPhones = disks.flatMap(({ onAir }) => onAir.map((line) => line.split(' ')[1] ?? ''))
  const byDongle = house.emulator.ledger().map(({ destination }) => destination)
  expect(byPhones.length).toBeGreaterThan(0)
  expect(byDongle.length).toBeGreaterThan(0)
  const numbers = [...byPhones, ...byDongle]
  expect([numbers.length, new Set(numbers).size]).toEqual([ids.length, ids.length])
})

test('states that arrive repeatedly and in any order change nothing, and a phone that was reset sends nothing again', async () => {
  await house.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:sent' })
  const { id: deviceId, token } = await Phone.register(house.relayUrl, house.user, 'replayed')
  const disk = new PhoneDisk()
  const phone = new Phone({ url: house.relayUrl, token, disk })
  const phoneNumber = '+447400400001'
  const id = await house.api.send({ deviceId, phoneNumbers: [phoneNumber], textMessage: { text: 'once' } })
  const sent = await house.api.until(id, isSent)
  phone.kill()
  const at = new Date().toISOString()
  const report = async (state: string) => {
    const response = await fetch(`${house.relayUrl}/api/mobile/v1/message`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ id, state, states: { [state]: at }, recipients: [{ phoneNumber, state }] }]),
    })
    expect(response.status).toBe(204)
  }
  for (const state of ['Pending', 'Sent', 'Sent', 'Pending', 'Pending', 'Sent']) await report(state)
  expect(await house.api.message(id)).toEqual(sent)
  const reset = new PhoneDisk()
  const again = new Phone({ url: house.relayUrl, token, disk: reset })
  const next = await house.api.send({ deviceId, phoneNumbers: ['+447400400002'], textMessage: { text: 'next' } })
  await house.api.until(next, isSent)
  again.kill()
  expect([disk.onAir, reset.onAir]).toEqual([[`${id} ${phoneNumber}`], [`${next} +447400400002`]])
  await receiver.until(({ payload }) => payload['messageId'] === next)
  const events = receiver.requests.map(({ payload }) => payload['messageId'])
  expect(events).toEqual([id, next])
})
