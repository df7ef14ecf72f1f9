import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { House } from './house/house.ts'
import { type DeathPoint, Phone, PhoneDisk } from './house/peers/phone.ts'
import { Receiver } from './house/peers/receiver.ts'

let house: House
let receiver: Receiver
const alive = new Set<Phone>()

beforeAll(async () => {
  house = await House.start({ modems: [{ number: '+447700900001' }] })
  receiver = await Receiver.start()
})

afterAll(async () => {
  for (const phone of alive) phone.kill()
  await house?.stop()
  await receiver?.stop()
})

function start(token: string, disk: PhoneDisk, dies?: (point: DeathPoint) => boolean): Phone {
  const phone = new Phone({ url: house.relayUrl, token, disk, ...(dies && { dies }) })
  alive.add(phone)
  return phone
}

test('a phone sends and receives in addition to a dongle, and the relay notifies webhooks', async () => {
  const disk = new PhoneDisk()
  const { id: deviceId, token } = await Phone.register(house.relayUrl, house.user, 'Pixel')
  const phone = start(token, disk)
  const devices = await eventually(
    async () => (await house.api.ask('GET', '/devices')).json as { id: string; online: boolean; isPhone?: boolean }[],
    (all) => all.every(({ online }) => online),
  )
  expect(devices.map(({ isPhone }) => isPhone)).toEqual([undefined, true])
  for (const event of ['sms:sent', 'sms:received'])
    await house.api.ask('POST', '/webhooks', { url: receiver.url, event })
  const id = await house.api.send({ deviceId, phoneNumbers: ['+447400100001'], textMessage: { text: 'Hello' } })
  const { state } = await house.api.until(id, (message) => message.state === 'Sent')
  expect([state, disk.onAir]).toEqual(['Sent', [`${id} +447400100001`]])
  const received = { id: '1', type: 'SMS', sender: '+447400100009', content: 'Hi', isEncrypted: false }
  expect(await phone.upload([{ ...received, createdAt: new Date().toISOString(), simNumber: 1 }])).toBe(201)
  const conversation = (await house.api.ask('GET', '/conversations/%2B447400100009')).json
  expect(conversation).toMatchObject([{ direction: 'in', text: 'Hi', deviceId }])
  const events = await eventually(
    async () => receiver.requests,
    (all) => all.length >= 2,
  )
  expect(events.map((one) => [one.event, one.deviceId]).sort()).toEqual([
    ['sms:received', deviceId],
    ['sms:sent', deviceId],
  ])
  phone.kill()
})

test('phones that are killed at every point, and a relay that is killed, lose nothing and send nothing twice', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  const random = dice(seed)
  const fleet = await Promise.all(
    [1, 2, 3].map(async (count) => ({
      ...(await Phone.register(house.relayUrl, house.user, `phone ${count}`)),
      disk: new PhoneDisk(),
    })),
  )
  let isCalm = false
  const lives = new Map(fleet.map((one) => [one, start(one.token, one.disk, () => !isCalm && random() < 0.15)]))
  const reviving = setInterval(() => {
    for (const [one, phone] of lives)
      if (!phone.isAlive)
        lives.set(
          one,
          start(one.token, one.disk, () => !isCalm && random() < 0.15),
        )
  }, 100)
  const ids: string[] = []
  for (let count = 0; count < 60; count += 1) {
    const deviceId = fleet[count % 3]?.id
    const phoneNumbers = [`+4474001${String(count).padStart(5, '0')}`, `+4474002${String(count).padStart(5, '0')}`]
    ids.push(await house.api.send({ deviceId, phoneNumbers, textMessage: { text: `message ${count}` } }))
    if (count === 30) {
      await house.relay.kill()
      await house.restartRelay()
    }
  }
  isCalm = true
  for (const id of ids) await house.api.until(id, ({ state }) => state === 'Sent')
  clearInterval(reviving)
  for (const phone of lives.values()) phone.kill()
  const onAir = fleet.flatMap(({ disk }) => disk.onAir)
  expect(onAir.length, `seed ${seed}`).toBe(120)
  expect(new Set(onAir).size, `seed ${seed}`).toBe(120)
})

/** A small generator of random numbers (mulberry32), so that a failure can be repeated with its seed. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
