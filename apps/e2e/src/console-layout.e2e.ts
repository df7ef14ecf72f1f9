// Measures what screenshots have shown wrong once: overlaps, cut texts, broken lines, and marks that differ only by
// their colour.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { Receiver } from './house/peers/receiver.ts'

const number = '+447400123456'
const thread = `/conversations/${encodeURIComponent(number)}`

let gateway: Gateway
let receiver: Receiver
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start({ WEBHOOK_ALLOW_HTTP: '1' })
  await gateway.untilReady()
  receiver = await Receiver.start()
  const id = await gateway.api.send({ phoneNumbers: [number], textMessage: { text: 'Hello' } })
  await gateway.api.until(id, ({ state }) => state === 'Delivered')
  await gateway.api.ask('POST', '/virtual-phone', { from: '+447400999999', text: 'Anybody there?' })
  await gateway.api.ask('PATCH', thread, { archived: true, assignee: 'Maria Fernández' })
  const assistant = { name: 'assistant', scopes: ['messages:send'], limits: { approval: 'required' } }
  const { key } = (await gateway.api.ask('POST', '/keys', assistant)).json
  const held = { phoneNumbers: [number], textMessage: { text: 'Shall I book a table?' } }
  await gateway.api.ask('POST', '/messages', held, { authorization: `Bearer ${key}` })
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

afterAll(async () => {
  await browser?.stop()
  await receiver?.stop()
  await gateway?.stop()
})

test.each([1_400, 390, 320])('the counts in the menu cover no icon at a width of %i', async (width) => {
  await show('/webhooks', width)
  const counts = page.locator('nav .unread-badge').filter({ visible: true })
  await expect.poll(() => counts.count()).toBe(2)
  for (const count of await counts.all()) {
    const badge = await count.boundingBox()
    const icon = await count.locator('xpath=..').locator('svg').boundingBox()
    expect(overlap(badge, icon)).toBe(false)
  }
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test.each([1_440, 820, 390])('no group of the fingerprint is broken at a width of %i', async (width) => {
  const [device] = (await gateway.api.ask('GET', '/devices')).json
  await show(`/devices/${device.id}`, width)
  const fingerprint = page.locator('.fingerprint')
  await fingerprint.waitFor()
  const linesOfGroups = await fingerprint.evaluate((element) =>
    [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map((group) => {
        const range = element.ownerDocument.createRange()
        range.selectNodeContents(group)
        return range.getClientRects().length
      }),
  )
  expect(linesOfGroups).toEqual(Array(16).fill(1))
})

test.each(['en', 'de', 'es', 'ar'])(
  'beside the virtual phone, no badge of a conversation is cut and a period is on one line in %s',
  async (language) => {
    await page.evaluate(`localStorage.setItem('smsgw-language', '${language}')`)
    await show(thread, 1_280)
    const badges = page.locator('.thread-head .badge').filter({ visible: true })
    await expect.poll(() => badges.count()).toBeGreaterThanOrEqual(2)
    for (const badge of await badges.all())
      expect(await badge.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
    await show('/messages', 1_280)
    const times = page.locator('.period-fields > *')
    const [from, until] = [await times.nth(0).boundingBox(), await times.nth(1).boundingBox()]
    expect(from?.y).toBe(until?.y)
    await page.evaluate("localStorage.removeItem('smsgw-language')")
  },
)

test('bars of failed deliveries are below the line, and bars of successful deliveries above it', async () => {
  await gateway.api.ask('POST', '/webhooks', { url: receiver.url, events: ['sms:received'], id: 'good' })
  const refusing = createServer((_request, response) => response.writeHead(500).end())
  await once(refusing.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/`
  await gateway.api.ask('POST', '/webhooks', { url, events: ['sms:received'], id: 'bad' })
  for (const id of ['good', 'bad']) {
    await gateway.api.ask('POST', `/webhooks/${id}/test`)
    await eventually(
      async () => (await gateway.api.ask('GET', `/webhooks/${id}/deliveries`)).json,
      (deliveries) => deliveries.some(({ attempts }: { attempts: unknown[] }) => attempts.length > 0),
    )
  }
  refusing.close()
  const isBelow = async (id: string) => {
    await show(`/webhooks/${id}`, 1_400)
    await page.locator('.health-strip rect').first().waitFor()
    return page.evaluate(`(() => {
      const line = Number(document.querySelector('.health-strip line').getAttribute('y1'))
      const bar = document.querySelector('.health-strip rect')
      return Number(bar.getAttribute('y')) >= line
    })()`)
  }
  expect(await isBelow('good')).toBe(false)
  expect(await isBelow('bad')).toBe(true)
})

test('in forced colours, an open phone does not look like the current page, and a disabled button has a dashed border', async () => {
  await page.emulateMedia({ forcedColors: 'active' })
  await show(thread, 1_400)
  const outlineOf = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`)
  await page.locator('.rail-link[aria-pressed="true"]').waitFor()
  expect(await outlineOf('.rail-link[aria-pressed="true"]')).toBe('none')
  expect(await outlineOf('.rail-link[aria-current]')).toBe('solid')
  const borderOf = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).borderTopStyle`)
  expect(await borderOf('.composer button[type="submit"]:disabled')).toBe('dashed')
  await page.locator('.composer textarea').fill('Hello')
  await page.locator('.composer button[type="submit"]:enabled').waitFor()
  expect(await borderOf('.composer button[type="submit"]')).toBe('solid')
  await page.locator('.composer textarea').fill('')
  await page.emulateMedia({ forcedColors: null })
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function show(path: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  await page.goto(gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function overlap(one: Box | null, other: Box | null): boolean {
  if (one === null || other === null) throw new Error('an element is not shown')
  const isApart = (from: 'x' | 'y', size: 'width' | 'height') =>
    one[from] + one[size] <= other[from] || other[from] + other[size] <= one[from]
  return !isApart('x', 'width') && !isApart('y', 'height')
}
