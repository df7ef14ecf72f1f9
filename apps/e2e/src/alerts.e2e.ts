// Alerting programs against a gateway.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { SmsGateway } from '@smsgw/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { ROOT } from './house/process.ts'

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

/** The object that Zabbix gives to scripts, with curl. */
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

test('the media type for Zabbix sends one SMS for a notification, also when Zabbix repeats the attempt', async () => {
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
