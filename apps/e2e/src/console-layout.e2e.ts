// Measures what screenshots have shown wrong once: overlaps, cut texts, broken lines, and marks that differ only by
// their colour.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
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
  for (const entry of await page.locator('.bottom-bar > :has(.unread-badge)').filter({ visible: true }).all()) {
    const [icon, name] = [entry.locator('svg'), entry.locator('.bottom-bar-name')]
    expect(Math.abs(middle(await icon.boundingBox()) - middle(await name.boundingBox()))).toBeLessThan(1)
    const count = entry.locator('.unread-badge')
    await count.locator('[aria-hidden]').evaluate((element) => {
      element.textContent = '99+'
    })
    const badge = await count.boundingBox()
    for (const any of await page.locator('.bottom-bar svg').all())
      expect(overlap(badge, await any.boundingBox())).toBe(false)
  }
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test.each([1_400, 390])('no switch in the settings covers its label at a width of %i', async (width) => {
  await show('/settings', width)
  const settings = page.locator('.setting:has([role="switch"])')
  await expect.poll(() => settings.count()).toBeGreaterThan(2)
  for (const setting of await settings.all()) {
    const track = await setting.locator('.mantine-Switch-track').boundingBox()
    for (const words of await setting.locator('label:not([class]), p:not([class])').all())
      expect(overlap(track, await words.boundingBox())).toBe(false)
  }
})

test.each(['en', 'de', 'es', 'ar'])(
  'the names in the menu are whole and on one line beside a count in %s',
  async (language) => {
    await page.evaluate(`localStorage.setItem('smsgw-language', '${language}')`)
    for (const width of [1_400, 900]) {
      await show('/webhooks', width)
      const counts = page.locator('.rail .unread-badge')
      await expect.poll(() => counts.count()).toBe(2)
      for (const count of await counts.locator('[aria-hidden]').all())
        await count.evaluate((element) => {
          element.textContent = '99+'
        })
      for (const name of await page.locator('.rail-link-name').all()) {
        expect(await linesOf(name)).toBe(1)
        expect(await name.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
      }
    }
    await page.evaluate("localStorage.removeItem('smsgw-language')")
  },
)

test('the count of notes stays beside the menu, and many labels take no more room until they are opened', async () => {
  for (let at = 0; at < 60; at++) {
    const { json } = await gateway.api.ask('POST', '/labels', { name: `Label number ${at}` })
    await gateway.api.ask('PATCH', thread, { addLabels: [json.id] })
  }
  await gateway.api.ask('POST', `${thread}/notes`, { text: 'Calls on Monday' })
  const head = page.locator('.thread-head')
  for (const width of [1_440, 820, 390]) {
    await show(`${thread}?folder=archived`, width)
    await expect.poll(() => head.locator('.thread-label').count()).toBe(6)
    const [notes, menu] = [
      await page.locator('.thread-notes').boundingBox(),
      await page.locator('.thread-menu').boundingBox(),
    ]
    expect(
      Math.abs((notes?.y ?? 0) + (notes?.height ?? 0) / 2 - (menu?.y ?? 0) - (menu?.height ?? 0) / 2),
    ).toBeLessThan(2)
    expect(overlap(notes, menu)).toBe(false)
    for (const part of await head.locator('.thread-label, h1').all())
      expect(overlap(notes, await part.boundingBox())).toBe(false)
  }
  await show(`${thread}?folder=archived`, 1_440)
  const row = page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: number })
  await row.getByText('56 more labels').waitFor()
  const labels = head.locator('.thread-label')
  await expect.poll(() => labels.count()).toBe(6)
  await head.getByRole('button', { name: '54 more labels' }).click()
  await expect.poll(() => labels.count()).toBe(60)
  await head.getByRole('button', { name: 'Fewer labels' }).click()
  await expect.poll(() => labels.count()).toBe(6)
})

test.each([1_440, 390])('each page of one thing leads back to its list at a width of %i', async (width) => {
  const [device] = (await gateway.api.ask('GET', '/devices')).json
  const [message] = (await gateway.api.ask('GET', '/messages')).json
  await gateway.api.ask('POST', '/webhooks', { url: receiver.url, events: ['sms:received'], id: 'back' })
  for (const [path, list] of [
    [`/messages/${message.id}`, 'Outgoing messages'],
    [`/devices/${device.id}`, 'Devices'],
    ['/webhooks/back', 'Webhooks'],
    ['/setup', 'Devices'],
  ] as const) {
    await show(path, width)
    await page
      .getByRole('main')
      .getByRole('link', { name: `Back to ${list}` })
      .click()
    await page.getByRole('heading', { level: 1, name: list, exact: true }).waitFor()
  }
})

test.each(['en', 'de', 'es', 'ar'])(
  'levels of the log and entries of menus are on one line in %s',
  async (language) => {
    await page.evaluate(`localStorage.setItem('smsgw-language', '${language}')`)
    await show('/logs', 820)
    await page.locator('.log-priority').first().waitFor()
    for (const level of await page.locator('.log-priority').all()) {
      expect(await linesOf(level)).toBe(1)
      expect(await level.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
    }
    for (const width of [1_440, 390]) {
      await show(thread, width)
      await page.locator('.thread-menu').click()
      await page.getByRole('menuitem').first().waitFor()
      for (const entry of await page.locator('.mantine-Menu-itemLabel').filter({ visible: true }).all())
        expect(await linesOf(entry)).toBe(1)
      const head = await page.locator('.thread-head').boundingBox()
      const menu = await page.getByRole('menu').boundingBox()
      expect(menu?.y).toBeGreaterThan((head?.y ?? 0) + (head?.height ?? 0))
    }
    await page.evaluate("localStorage.removeItem('smsgw-language')")
  },
)

test('a list of facts that wraps shows no dot at the start or the end of a line', async () => {
  await show('/devices', 320)
  await page.locator('.dotted-fact').nth(2).waitFor()
  const lines = await page
    .locator('.dotted')
    .first()
    .evaluate((list) => {
      const { left, right } = list.getBoundingClientRect()
      return [...list.querySelectorAll('.dotted-fact')].map((fact) => {
        const dot = fact.querySelector('.dotted-dot')?.getBoundingClientRect()
        const box = fact.getBoundingClientRect()
        return {
          top: box.top,
          hidesDot: dot === undefined || dot.right <= left + 0.5,
          overflows: box.right > right + 0.5,
        }
      })
    })
  const starts = lines.map(({ top }, at) => top !== lines[at - 1]?.top)
  expect(starts.filter(Boolean).length).toBeGreaterThan(1)
  expect(lines.map(({ hidesDot }) => hidesDot)).toEqual(starts)
  expect(lines.some(({ overflows }) => overflows)).toBe(false)
})

test('code and commands fade where they continue, and not at their end', async () => {
  await show('/developers', 390)
  const code = page.locator('.copy-field.is-long section').first()
  const continues = (side: string) => expect.poll(() => page.locator(`[data-more-${side}]`).first().isVisible())
  await continues('right').toBe(true)
  await code.evaluate((element) => element.scrollTo({ left: element.scrollWidth }))
  await expect.poll(() => code.evaluate(({ dataset }) => Object.keys(dataset))).toEqual(['moreLeft'])
  await page.keyboard.press('Control+k')
  await continues('below').toBe(true)
  await page.getByRole('combobox').fill('webh')
  await continues('below').toBe(false)
  await page.keyboard.press('Escape')
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
    const badges = page.locator('.thread-head :is(.badge, .thread-assignee)').filter({ visible: true })
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

test('beside the virtual phone, the answer to a delivery has more room than its attempts', async () => {
  await show('/webhooks/bad', 1_440)
  await page.locator('.virtual-phone').waitFor()
  const head = page.locator('.delivery-head').first()
  const [answer, whole] = [await head.locator('.delivery-answer').boundingBox(), await head.boundingBox()]
  expect(answer?.width).toBeGreaterThan((whole?.width ?? 0) / 2)
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

/** The number of lines of the text of an element. */
function linesOf(text: Locator): Promise<number> {
  return text.evaluate((element) => {
    const range = element.ownerDocument.createRange()
    range.selectNodeContents(element)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size
  })
}

function middle(box: Box | null): number {
  if (box === null) throw new Error('an element is not shown')
  return box.x + box.width / 2
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
