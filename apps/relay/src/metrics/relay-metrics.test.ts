import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newKeys, ScriptedAgent } from '../link/testing/scripted-agent.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { testReceivers } from '../webhooks/testing/test-receiver.ts'

const TOKEN = 'the token of the metrics'
const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const NUMBERS = ['+4915112345678', '+4915112345679']
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 20 })
const receivers = testReceivers()
let relay: TestRelay
let agent: ScriptedAgent

beforeAll(async () => {
  const settings = { METRICS_TOKEN: TOKEN, WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' }
  relay = await testRelay({ settings })
  const keys = newKeys()
  await relay.database.device.create({
    data: { id: DEVICE, accountId: relay.account.id, name: '', publicKey: keys.publicKey },
  })
  agent = new ScriptedAgent({ url: relay.url, identity: { deviceId: DEVICE }, keys, answer })
  agent.start()
  await agent.online()
})
afterAll(async () => {
  agent.stop()
  await receivers.close()
  await relay.close()
})

/** Reports the message to the first number as sent. The result for the second number stays unknown. */
function answer(command: Command): AgentEvent[] {
  if (command.kind !== 'send') return []
  const about = { cmdId: command.cmdId, at: new Date().toISOString() }
  if (command.phoneNumber === NUMBERS[1])
    return [
      { kind: 'processed', ...about },
      { kind: 'waiting', ...about, code: 'outcome_unknown', reason: 'outcome unknown' },
    ]
  return [
    { kind: 'processed', ...about },
    { kind: 'sent', ...about, simNumber: 1, parts: 1 },
  ]
}

async function scrape(): Promise<string> {
  return (await relay.request('GET', '/metrics', { auth: `Bearer ${TOKEN}` })).text
}

test('failures are counted from zero, so that Prometheus sees the first failures as an increase', async () => {
  const text = await scrape()
  for (const from of ['Pending', 'Cancelling', 'Processed', 'Sent'])
    expect(text.split('\n')).toContain(`smsgw_message_state_transitions_total{from="${from}",to="Failed"} 0`)
  for (const result of ['retried', 'failed'])
    expect(text.split('\n')).toContain(`smsgw_webhook_attempts_total{result="${result}"} 0`)
})

test('metrics count what the relay does, without personal data', async () => {
  const there = await receivers.start()
  await relay.api('POST', '/webhooks', { body: { id: 'w', url: there.url, event: 'sms:sent' } })
  for (const auth of [`Basic ${btoa(`${relay.account.username}:wrong`)}`, 'Bearer a.b.c'])
    expect((await relay.api('GET', '/messages', { auth })).status).toBe(401)
  const body = { phoneNumbers: NUMBERS, message: 'hello', deviceId: DEVICE }
  expect((await relay.api('POST', '/messages', { body })).status).toBe(202)
  await eventually(async () => {
    const text = await scrape()
    for (const line of [
      'smsgw_messages_accepted_total 1',
      'smsgw_message_state_transitions_total{from="Pending",to="Processed"} 2',
      'smsgw_message_state_transitions_total{from="Processed",to="Sent"} 1',
      'smsgw_messages_in_doubt 1',
      'smsgw_dispatch_latency_seconds_count 2',
      'smsgw_dispatch_latency_seconds_bucket{le="300"} 2',
      'smsgw_agents_connected 1',
      'smsgw_logins_total{method="password",result="refused"} 1',
      'smsgw_logins_total{method="token",result="refused"} 1',
      'smsgw_webhook_attempts_total{result="delivered"} 1',
      'smsgw_webhook_attempt_duration_seconds_count 1',
      'smsgw_webhook_latency_seconds_count 1',
      'smsgw_webhook_queue_size 0',
    ])
      expect(text.split('\n')).toContain(line)
    for (const secret of [...NUMBERS.map((number) => number.slice(1)), DEVICE, relay.account.username])
      expect(text).not.toContain(secret)
  })
})

test('throttled guesses are counted separately', async () => {
  const guess = () => relay.api('GET', '/messages', { auth: `Basic ${btoa(`nobody:${Math.random()}`)}` })
  await vi.waitUntil(async () => (await guess()).status === 429, { timeout: 90_000, interval: 0 })
  expect(await scrape()).toMatch(/^smsgw_logins_total\{method="password",result="throttled"\} 1$/m)
})

test('the dashboard and the alarms use only metrics that exist', async () => {
  const types = new Map([...(await scrape()).matchAll(/^# TYPE (\w+) (\w+)/gm)].map(([, name, type]) => [name, type]))
  const isTold = (name: string) =>
    types.has(name) || types.get(name.replace(/_(?:bucket|count|sum)$/, '')) === 'histogram'
  for (const file of ['examples/grafana-dashboard.json', 'examples/prometheus-rules.yml']) {
    const text = readFileSync(join(import.meta.dirname, '../../../../docs', file), 'utf8')
    const asked = [...new Set([...text.matchAll(/smsgw_[a-z0-9_]*[a-z0-9]\b(?!_)/g)].map(([name]) => name))]
    expect(asked.length).toBeGreaterThan(5)
    expect({ file, missing: asked.filter((name) => !isTold(name)) }).toEqual({ file, missing: [] })
  }
})
