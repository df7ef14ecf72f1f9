import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { type ApiClient, eventually } from '../api-client.ts'

export type ConsoleLanguage = 'en' | 'de' | 'es' | 'ar'

/** The texts of the console in one language, by the keys of its catalogue. */
export type ConsoleTexts = (key: string, values?: Readonly<Record<string, string>>) => string

export function consoleTexts(language: ConsoleLanguage): ConsoleTexts {
  const file = new URL(`../../../../console/src/words/${language}.json`, import.meta.url)
  const catalogue: Readonly<Record<string, string>> = JSON.parse(readFileSync(file, 'utf8'))
  return (key, values = {}) => {
    const text = catalogue[key]
    if (text === undefined) throw new Error(`the catalogue has no text ${key}`)
    // Invisible characters surround each value in a right-to-left text, so the element is found by the text before the
    // value.
    return language === 'ar' && Object.keys(values).length > 0
      ? (text.split('{')[0] ?? '').trim()
      : text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  }
}

export interface ConsoleDialog {
  readonly name: string
  readonly path: string
  readonly open: (page: Page, text: ConsoleTexts) => Promise<void>
}

export interface DialogData {
  readonly number: string
  readonly deviceId: string
  readonly webhookId: string
  readonly messageId: string
}

/** Creates what the dialogues are about: a conversation, a webhook, an API key, a token and a scheduled message. */
export async function fillForDialogs(api: ApiClient): Promise<DialogData> {
  const number = '+447400123456'
  const first = await api.send({ phoneNumbers: [number], textMessage: { text: 'Hello' } })
  await api.until(first, ({ state }) => state === 'Delivered')
  const scheduleAt = '2037-01-01T09:00:00Z'
  const messageId = await api.send({ phoneNumbers: [number], textMessage: { text: 'Happy new year' }, scheduleAt })
  const [device] = (await api.ask('GET', '/devices')).json
  const url = 'https://example.com/sms'
  const webhook = await api.ask('POST', '/webhooks', { url, events: ['sms:received'], id: 'dialogs' })
  const limits = { recipients: ['+447400123456', '+49*'], recipientsPerDay: 50 }
  const key = await api.ask('POST', '/keys', { name: 'front door', scopes: ['messages:send'], limits })
  await api.ask('POST', '/auth/token', { scopes: ['messages:send', 'messages:read'], ttl: 3_600 })
  await api.ask('POST', `/conversations/${encodeURIComponent(number)}/notes`, { text: 'Calls back on Monday.' })
  await eventually(
    async () => (await api.ask('GET', `/devices/${device.id}`)).json.modems,
    (modems) => modems?.length > 0,
  )
  if (key.status !== 201 || webhook.status !== 201) throw new Error(`cannot fill: ${key.status} ${webhook.status}`)
  return { number, deviceId: device.id, webhookId: 'dialogs', messageId }
}

/**
 * Every dialogue of the console. A gateway in Local Server mode has no dialogues for tokens, pairing and removed
 * devices.
 */
export function consoleDialogs({ number, deviceId, webhookId, messageId }: DialogData): readonly ConsoleDialog[] {
  const device = `/devices/${deviceId}`
  const webhook = `/webhooks/${webhookId}`
  return [
    { name: 'command palette', path: '/', open: (page) => page.keyboard.press('Control+k') },
    { name: 'keyboard shortcuts', path: '/', open: (page) => page.keyboard.press('?') },
    {
      name: 'notes, labels and assignee',
      path: `/conversations/${encodeURIComponent(number)}`,
      async open(page, text) {
        await page.locator('.thread-menu').click()
        await page.getByRole('menuitem', { name: text('inbox.notesAndLabels') }).click()
        await page.getByText('Calls back on Monday.').waitFor()
      },
    },
    { name: 'cancel a message', path: `/messages/${messageId}`, open: press('message.cancel') },
    {
      name: 'pair a device',
      path: '/devices',
      async open(page, text) {
        await press('pairing.title')(page, text)
        await page.locator('.pair-device').waitFor()
      },
    },
    { name: 'rename a device', path: device, open: press('device.rename') },
    { name: 'remove a device', path: device, open: press('device.remove') },
    { name: 'restart a modem', path: device, open: press('modem.restart') },
    { name: 'add a webhook', path: '/webhooks', open: press('webhooks.add') },
    { name: 'edit a webhook', path: webhook, open: press('webhooks.edit') },
    { name: 'rotate a secret', path: webhook, open: press('webhooks.rotate') },
    {
      name: 'new secret',
      path: webhook,
      async open(page, text) {
        await press('webhooks.rotate')(page, text)
        await confirm(page, text('webhooks.rotate'))
        await page
          .getByRole('dialog')
          .getByText(/^whsec_/)
          .waitFor()
      },
    },
    { name: 'delete a webhook', path: webhook, open: press('common.delete') },
    {
      name: 'resend a period',
      path: `${webhook}?from=2026-01-01T00:00&to=2037-01-01T00:00`,
      open: press('delivery.resendRange'),
    },
    { name: 'create an API key', path: '/access', open: press('keys.create') },
    {
      name: 'new API key',
      path: '/access',
      async open(page, text) {
        await press('keys.create')(page, text)
        await page
          .getByRole('dialog')
          .getByRole('textbox', { name: text('field.name') })
          .fill('back door')
        await confirm(page, text('common.create'))
        await page
          .getByRole('dialog')
          .getByText(/^smsgw_live_/)
          .waitFor()
      },
    },
    { name: 'edit an API key', path: '/access', open: ofKey('keys.edit') },
    { name: 'rotate an API key', path: '/access', open: ofKey('keys.rotate') },
    {
      name: 'rotated API key',
      path: '/access',
      async open(page, text) {
        await ofKey('keys.rotate')(page, text)
        await confirm(page, text('keys.rotateAction'))
        await page
          .getByRole('dialog')
          .getByText(/^smsgw_live_/)
          .waitFor()
      },
    },
    { name: 'revoke an API key', path: '/access', open: ofKey('keys.revoke') },
    { name: 'create a token', path: '/access', open: press('tokens.create') },
    {
      name: 'new token',
      path: '/access',
      async open(page, text) {
        await press('tokens.create')(page, text)
        await confirm(page, text('common.create'))
        await page.getByRole('region', { name: text('tokens.access') }).waitFor()
      },
    },
    {
      name: 'revoke a token',
      path: '/access',
      async open(page, text) {
        await page
          .locator('.token-actions')
          .getByRole('button', { name: text('tokens.revoke') })
          .first()
          .click()
      },
    },
  ]
}

function press(key: string) {
  return async (page: Page, text: ConsoleTexts) => {
    await page
      .getByRole('main')
      .getByRole('button', { name: text(key), exact: true })
      .first()
      .click()
  }
}

function ofKey(action: string) {
  return async (page: Page, text: ConsoleTexts) => {
    const name = text('keys.actions', { name: 'front door' })
    await page.getByRole('row').filter({ hasText: 'front door' }).getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: text(action), exact: true }).click()
  }
}

async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
}
