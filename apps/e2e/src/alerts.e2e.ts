// Tests alerting programs with a gateway.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { SmsGateway } from '@smsgw/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess, ROOT } from './house/machine/process.ts'

const NUMBER = '+447400123456'
let gateway: Gateway
let sms: SmsGateway
let key: string

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  const credentials = credentialsIn(gateway.folder)
  sms = new SmsGateway({ url: gateway.url, credentials })
  const { username, password } = credentials
  const response = await fetch(`${gateway.url}/3rdparty/v1/keys`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'alerts', scopes: ['messages:send'], limits: { recipients: [NUMBER] } }),
  })
  key = ((await response.json()) as { key: string }).key
})
afterAll(() => gateway?.stop())

async function textsTo(number: string): Promise<string[]> {
  const texts: string[] = []
  for await (const { recipients, textMessage } of sms.messages.list({ includeContent: true }))
    if (recipients[0]?.phoneNumber === number && textMessage) texts.push(textMessage.text)
  return texts
}

/**
 * A replacement for the class `HttpRequest` of Zabbix, which scripts use. It sends its requests with the program curl.
 */
class HttpRequest {
  readonly #headers: string[] = []
  #status = 0

  addHeader(line: string): void {
    this.#headers.push('-H', line)
  }

  post(url: string, body: string): string {
    const args = ['-sS', '-w', '\n%{http_code}', ...this.#headers, '--data-raw', body, url]
    const [, answer = '', status] = /^(.*)\n(\d+)$/s.exec(execFileSync('curl', args, { encoding: 'utf8' })) ?? []
    this.#status = Number(status)
    return answer
  }

  getStatus(): number {
    return this.#status
  }
}

test('the media type for Zabbix sends one SMS for a notification, even if Zabbix repeats the attempt', async () => {
  const file = parse(readFileSync(join(ROOT, 'deploy/zabbix/smsgw-media-type.yaml'), 'utf8'))
  const [mediaType] = file.zabbix_export.media_types
  expect([file.zabbix_export.version, mediaType.type]).toEqual(['6.0', 'WEBHOOK'])
  const values: Record<string, string> = {
    EventId: '42',
    Key: key,
    Message: 'High since 12:00:00',
    Subject: "PROBLEM web1: Disk full, 'quoted' ü",
    Time: '2026.03.01 12:00:00',
    To: NUMBER,
    URL: `${gateway.url}/`,
  }
  const names = mediaType.parameters.map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(Object.keys(values).sort())
  const run = (more: object = {}) =>
    runInNewContext(`(function (value) {${mediaType.script}})(value)`, {
      value: JSON.stringify({ ...values, ...more }),
      HttpRequest,
    })
  expect(JSON.parse(run())).toEqual({ id: expect.any(String), status: 'queued' })
  expect(JSON.parse(run()).id).toBe(JSON.parse(run()).id)
  expect(() => run({ Key: 'wrong' })).toThrow(/^smsgw answered 401: /)
  expect(() => run({ To: 'nobody' })).toThrow(/^smsgw answered 400: /)
  expect(await textsTo(NUMBER)).toEqual([`${values['Subject']}\n${values['Message']}`])
  run({ Time: '2026.03.01 13:00:00' })
  expect(await textsTo(NUMBER)).toHaveLength(2)
})

test('notify-by-sms sends a notification of Nagios, and no shell interprets its macros', async () => {
  const macros = {
    NAGIOS_NOTIFICATIONTYPE: 'PROBLEM',
    NAGIOS_HOSTNAME: 'web1',
    NAGIOS_SERVICEDESC: 'disk',
    NAGIOS_SERVICESTATE: 'CRITICAL',
    NAGIOS_SERVICEOUTPUT: `DISK CRITICAL \`id\` $(id) '" ${'x'.repeat(5_000)}`,
    NAGIOS_CONTACTPAGER: NUMBER,
  }
  const run = async (settings: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const environment = { SMSGW_URL: gateway.url, SMSGW_API_KEY: key, ...settings }
    const command = new HouseProcess('notify-by-sms', MAIN, ['notify-by-sms', ...args], environment)
    return { code: await command.ended(), lines: command.lines, complaints: command.complaints }
  }
  const sent = await run(macros)
  expect([sent.code, sent.complaints]).toEqual([0, ''])
  const [latest = ''] = await textsTo(NUMBER)
  expect(latest).toMatch(/^PROBLEM web1\/disk CRITICAL\nDISK CRITICAL `id` \$\(id\) '" x+\.\.\.$/)
  expect(latest.length).toBeLessThanOrEqual(459)

  // The short code is a valid recipient, so only the limit of the key refuses it.
  for (const other of ['+447400123457', '72727']) {
    const wrong = await run({ ...macros, NAGIOS_CONTACTPAGER: other })
    expect([wrong.code, wrong.complaints]).toEqual([1, expect.stringContaining('is not allowed')])
  }
  const nobody = await run({ ...macros, NAGIOS_CONTACTPAGER: '' })
  expect([nobody.code, nobody.complaints]).toEqual([2, expect.stringContaining('no recipient: set --to')])
  expect(await textsTo(NUMBER)).toContain(latest)
})

const MAIN = mainScripts.smsgw
