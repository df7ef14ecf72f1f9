import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { House } from './house/house.ts'
import { Phone, PhoneDisk } from './house/peers/phone.ts'
import { Receiver } from './house/peers/receiver.ts'

const number = '+447400100055'
const picture = png(600, 600)
const KEPT_SECONDS = 60

let house: House
let receiver: Receiver
let browser: ConsoleBrowser
let page: Page
let phone: Phone
let deviceId: string
const disk = new PhoneDisk()

beforeAll(async () => {
  house = await House.start({ relay: { MIX_EMULATED_MODEMS: '1' } })
  receiver = await Receiver.start()
  browser = await ConsoleBrowser.start(house.relayUrl)
  page = await browser.signedIn(house.user)
  const registered = await Phone.register(house.relayUrl, house.user, 'Pixel', { capabilities: ['mms'] })
  deviceId = registered.id
  phone = new Phone({ url: house.relayUrl, token: registered.token, disk })
})

afterAll(async () => {
  phone?.kill()
  await browser?.stop()
  await house?.stop()
  await receiver?.stop()
})

test('an MMS with a picture of 1 MB is sent by the phone, and the console shows it', async () => {
  await house.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:sent' })
  const photo = { contentType: 'image/png', name: 'beach.png', data: picture.toString('base64') }
  const mmsMessage = { subject: 'Holiday', text: 'From the beach', attachments: [photo] }
  const id = await house.api.send({ phoneNumbers: [number], mmsMessage })
  const sent = await house.api.until(id, ({ state }) => state === 'Sent')
  expect(sent).toMatchObject({
    deviceId,
    mmsMessage: { ...mmsMessage, attachments: [{ ...photo, size: picture.length }] },
  })
  expect(disk.mms.get(id)).toEqual(mmsMessage)
  await eventually(
    () => receiver.requests,
    (all) => all.some(({ event, payload }) => event === 'sms:sent' && payload['messageId'] === id),
  )
  await page.goto(`${house.relayUrl}/messages/${id}`)
  await page.getByRole('main').getByText('Holiday').first().waitFor()
  await untilShown(page.getByRole('region', { name: 'Details' }))
  await page.goto(`${house.relayUrl}/conversations/${encodeURIComponent(number)}`)
  await page.getByRole('log').getByText('From the beach').waitFor()
  await page.getByRole('log').getByText('Holiday', { exact: true }).waitFor()
  await untilShown(page.getByRole('article').filter({ hasText: 'beach.png' }))
})

/** Waits until the browser has decoded the picture. */
async function untilShown(shown: Locator): Promise<void> {
  const image = shown.locator('img')
  await image.scrollIntoViewIfNeeded()
  await eventually(
    () => image.evaluate((element) => (element as unknown as { readonly naturalWidth: number }).naturalWidth),
    (width) => width === 600,
  )
}

test('a modem cannot send an MMS, and the message is refused with the reason', async () => {
  const devices = (await house.api.ask('GET', '/devices')).json as { id: string; isPhone?: boolean }[]
  const modem = devices.find(({ isPhone }) => isPhone !== true)
  const { status, json } = await house.api.ask('POST', '/messages', {
    ...{ deviceId: modem?.id, phoneNumbers: [number] },
    mmsMessage: { text: 'Hello' },
  })
  const message = expect.stringContaining('Modems cannot send MMS')
  expect([status, json]).toMatchObject([400, { errors: [{ path: 'mmsMessage', message }] }])
})

/** A received MMS with a picture of 1 MB, as the phone uploads it. */
const receivedMms = (id: string) => ({
  ...{ id, type: 'MMS_DOWNLOADED', sender: number, simNumber: 1, content: 'Look!', isEncrypted: false },
  createdAt: new Date().toISOString(),
  attachments: [{ partId: 2, contentType: 'image/png', name: 'cat.png', data: picture.toString('base64') }],
})

test('a received MMS with a picture of 1 MB is stored once, shown, downloaded and sent to webhooks', async () => {
  await house.api.ask('POST', '/webhooks', { url: receiver.url, event: 'mms:downloaded' })
  const received = receivedMms('1')
  expect([await phone.upload([received]), await phone.upload([received])]).toEqual([201, 201])
  const listed = { partId: 2, name: 'cat.png', size: picture.length, contentType: 'image/png' }
  const items = (await house.api.ask('GET', '/inbox?includeAttachments=true&type=MMS_DOWNLOADED')).json
  expect(items).toMatchObject([{ text: 'Look!', attachments: [listed] }])
  const path = `/inbox/${items[0].id}/attachments/2`
  expect((await download(path)).equals(picture)).toBe(true)
  await page.goto(`${house.relayUrl}/conversations/${encodeURIComponent(number)}`)
  await untilShown(page.getByRole('article').filter({ hasText: 'cat.png' }))
  const { payload } = await eventually(
    () => receiver.requests.find(({ event }) => event === 'mms:downloaded'),
    (request) => request !== undefined,
  ).then((request) => request ?? { payload: {} })
  expect(payload).toMatchObject({ messageId: items[0].id, body: 'Look!', attachments: [listed] })
})

test('a picture from a stranger is shown after a click, and one with too many pixels is never decoded', async () => {
  const stranger = '+447400100077'
  const attachments = [
    { partId: 1, contentType: 'image/png', name: 'cat.png', data: picture.toString('base64') },
    { partId: 2, contentType: 'image/png', name: 'bomb.png', data: png(3, 3, [30_000, 30_000]).toString('base64') },
  ]
  const createdAt = new Date().toISOString()
  const content = { content: 'Look!', isEncrypted: false, createdAt, attachments }
  await phone.upload([{ id: '2', type: 'MMS_DOWNLOADED', sender: stranger, simNumber: 1, ...content }])
  await page.goto(`${house.relayUrl}/conversations/${encodeURIComponent(stranger)}`)
  const message = page.getByRole('article').filter({ hasText: 'cat.png' })
  await message.getByText('PNG · 1.1 MB · 600 × 600 pixels').waitFor()
  await message.getByText(/30,000 × 30,000 pixels$/).waitFor()
  expect(await message.locator('img').count()).toBe(0)
  expect(await barriersEverywhere(page)).toEqual([])
  await message.getByRole('button', { name: 'Show picture' }).click()
  await untilShown(message)
  expect(await message.getByRole('button', { name: 'Show picture' }).count()).toBe(0)
  await page.getByLabel('Message', { exact: true }).fill('Who are you?')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  await page.getByRole('article', { name: 'You' }).waitFor()
  await page.reload()
  await untilShown(message)
})

test('a received MMS is erased with its pictures after the set time', async () => {
  await house.relay.stop()
  await house.restartRelay({ DELETE_RECEIVED_AFTER_SECONDS: String(KEPT_SECONDS) })
  const uploadedAt = Date.now()
  expect(await phone.upload([receivedMms('3')])).toBe(201)
  const [{ id }] = (await house.api.ask('GET', '/inbox?type=MMS_DOWNLOADED&limit=1')).json
  const path = `/inbox/${id}/attachments/2`
  expect((await download(path)).equals(picture)).toBe(true)
  await eventually(
    async () => (await house.api.ask('GET', `/inbox/${id}`)).status,
    (status) => status === 404,
    KEPT_SECONDS * 1_000 + 120_000,
  )
  expect(Date.now() - uploadedAt).toBeGreaterThan(KEPT_SECONDS * 900)
  expect((await house.api.ask('GET', path)).status).toBe(404)
})

async function download(path: string): Promise<Buffer> {
  const basic = Buffer.from(`${house.user.username}:${house.user.password}`).toString('base64')
  const headers = { authorization: `Basic ${basic}` }
  const response = await fetch(`${house.relayUrl}/3rdparty/v1${path}`, { headers })
  expect(response.headers.get('content-type')).toBe('image/png')
  return Buffer.from(await response.arrayBuffer())
}

/**
 * A picture of random pixels, which no format can make smaller.
 * @param stated the width and height in its header
 */
function png(width: number, height: number, stated: readonly [number, number] = [width, height]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(stated[0], 0)
  header.writeUInt32BE(stated[1], 4)
  // The image has 8 bits for each of three colours.
  header.set([8, 2], 8)
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), randomBytes(width * 3)]))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = deflateSync(Buffer.concat(rows), { level: 0 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  const content = Buffer.concat([Buffer.from(type), data])
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
