import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const DOCS = resolve(import.meta.dirname, '../../../../docs')
const RULES = join(DOCS, 'examples/prometheus-rules.yml')
const rules = readFileSync(RULES, 'utf8')
const ALARMS = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)
/** promtool is in Debian's package prometheus. */
const withPromtool = test.skipIf(spawnSync('promtool', ['--version']).status !== 0)

interface Case {
  readonly what: string
  readonly alarm: string
  /** Samples every 15 s, in the notation of promtool: `0+2x8` is 0, 2, 4 and so on, with 8 additions. */
  readonly series: Readonly<Record<string, string>>
  /** Minutes after the first sample. */
  readonly after: number
  /** The summary of the alarm, or undefined if no alarm is expected. */
  readonly summary?: string
  /** The labels of the alarm beside its name and severity. */
  readonly labels?: Readonly<Record<string, string>>
}

const UP = 'up{job="smsgw",instance="relay:9464"}'
const AGENTS = 'smsgw_agents_connected{instance="a"}'
const OTHER_AGENTS = 'smsgw_agents_connected{instance="b"}'
const DISPATCHED = 'smsgw_message_state_transitions_total{from="Pending",to="Processed"}'
const NO_NETWORK = 'smsgw_devices_unable_to_send{reason="no_network"}'
const LOCKED = 'smsgw_devices_unable_to_send{reason="sim_locked"}'
const CANCELLED = 'smsgw_message_state_transitions_total{from="Pending",to="Cancelled"}'
const FAILED = 'smsgw_message_state_transitions_total{from="Processed",to="Failed"}'
const DELIVERED = 'smsgw_webhook_attempts_total{result="delivered"}'
const RETRIED = 'smsgw_webhook_attempts_total{result="retried"}'
const ERRORS = 'smsgw_http_request_duration_seconds_count{method="GET",route="/messages",status="500"}'
const GUESSES = 'smsgw_logins_total{method="password",result="throttled"}'
const LAG = 'smsgw_nodejs_eventloop_lag_p99_seconds{instance="relay:9464"}'

const cases: readonly Case[] = [
  {
    what: 'a relay that cannot be read for two minutes',
    alarm: 'SmsgwDown',
    series: { [UP]: '1x8 0x12' },
    after: 5,
    summary: 'Prometheus cannot read the metrics of relay:9464',
    labels: { job: 'smsgw', instance: 'relay:9464' },
  },
  { what: 'a relay that restarts', alarm: 'SmsgwDown', series: { [UP]: '1x8 0x6 1x20' }, after: 3.5 },
  {
    what: 'an agent that stays away for more than five minutes',
    alarm: 'SmsgwAgentDisconnected',
    series: { [AGENTS]: '2x80 1x60' },
    after: 30,
    summary: 'Only 1 agents are connected, fewer than before',
  },
  {
    what: 'an agent that stays away for three minutes',
    alarm: 'SmsgwAgentDisconnected',
    series: { [AGENTS]: '2x80 1x12 2x60' },
    after: 24,
  },
  {
    what: 'an agent that moves to another relay, and counts on both for a moment',
    alarm: 'SmsgwAgentDisconnected',
    series: { [AGENTS]: '1x82 0x60', [OTHER_AGENTS]: '0x80 1x62' },
    after: 34,
  },
  {
    what: 'a device that has no network for a quarter of an hour',
    alarm: 'SmsgwDeviceCannotSend',
    series: { [NO_NETWORK]: '0x4 2x80', [LOCKED]: '0x84' },
    after: 17,
    summary: 'Devices that cannot send because of no_network: 2',
    labels: { reason: 'no_network' },
  },
  {
    what: 'a device that has no network for ten minutes',
    alarm: 'SmsgwDeviceCannotSend',
    series: { [NO_NETWORK]: '0x4 2x40 0x40' },
    after: 17,
  },
  {
    what: 'a fifth of the messages that fails',
    alarm: 'SmsgwMessagesFail',
    series: { [DISPATCHED]: '0+5x80', [FAILED]: '0+1x80' },
    after: 20,
    summary: 'More than a tenth of the messages fail',
  },
  {
    what: 'five failures at once',
    alarm: 'SmsgwMessagesFail',
    series: { [DISPATCHED]: '0x8 5x60', [FAILED]: '0x8 5x60' },
    after: 9,
    summary: 'More than a tenth of the messages fail',
  },
  {
    what: 'a twentieth of the messages that fails',
    alarm: 'SmsgwMessagesFail',
    series: { [DISPATCHED]: '0+20x80', [FAILED]: '0+1x80' },
    after: 20,
  },
  {
    what: 'messages to many numbers, of which a twentieth fails',
    alarm: 'SmsgwMessagesFail',
    series: { [DISPATCHED]: '0+100x80', [FAILED]: '0+5x80' },
    after: 20,
  },
  {
    what: 'half of the messages that fails, while many others are cancelled',
    alarm: 'SmsgwMessagesFail',
    series: { [CANCELLED]: '0+100x80', [DISPATCHED]: '0+2x80', [FAILED]: '0+1x80' },
    after: 20,
    summary: 'More than a tenth of the messages fail',
  },
  {
    what: 'three failures on a quiet day',
    alarm: 'SmsgwMessagesFail',
    series: { [DISPATCHED]: '0x8 3x60', [FAILED]: '0x8 3x60' },
    after: 9,
  },
  {
    what: 'eleven messages in doubt',
    alarm: 'SmsgwMessagesInDoubt',
    series: { 'smsgw_messages_in_doubt{instance="a"}': '11x40', 'smsgw_messages_in_doubt{instance="b"}': '11x40' },
    after: 6,
    summary: 'The outcome of 11 messages is unknown',
  },
  {
    what: 'messages in doubt for a short time',
    alarm: 'SmsgwMessagesInDoubt',
    series: { 'smsgw_messages_in_doubt{instance="a"}': '0x8 11x8 0x40' },
    after: 6,
  },
  {
    what: 'webhooks that wait for five minutes',
    alarm: 'SmsgwWebhooksLate',
    series: { smsgw_webhook_queue_age_seconds: '300x40' },
    after: 3,
    summary: 'Webhooks are 5m 0s late',
  },
  {
    what: 'webhooks that wait for a minute',
    alarm: 'SmsgwWebhooksLate',
    series: { smsgw_webhook_queue_age_seconds: '60x40' },
    after: 3,
  },
  {
    what: 'a receiver that has failed for a quarter of an hour',
    alarm: 'SmsgwWebhooksFail',
    series: { [DELIVERED]: '2x120', [RETRIED]: '0x8 1x4 2x20 3x20 5x60' },
    after: 30,
    summary: 'More than half of the webhook requests fail',
  },
  {
    what: 'one failing receiver among many',
    alarm: 'SmsgwWebhooksFail',
    series: { [DELIVERED]: '0+3x120', [RETRIED]: '0+1x120' },
    after: 30,
  },
  {
    what: 'one event that was delivered at the third attempt',
    alarm: 'SmsgwWebhooksFail',
    series: { [DELIVERED]: '0x12 1x120', [RETRIED]: '0x8 2x124' },
    after: 20,
  },
  {
    what: 'a 5xx response a minute',
    alarm: 'SmsgwServerErrors',
    series: { [ERRORS]: '0x3 1x4 2x4 3x4 4x4 5x4 6x4 7x4 8x4 9x4 10x4' },
    after: 10,
    summary: 'Requests of the API get 5xx responses',
  },
  {
    what: 'a single 5xx response',
    alarm: 'SmsgwServerErrors',
    series: { [ERRORS]: '0x3 1x60' },
    after: 10,
  },
  {
    what: 'two throttled logins a second',
    alarm: 'SmsgwPasswordGuessing',
    series: { [GUESSES]: '0+30x60' },
    after: 10,
    summary: 'Somebody is guessing passwords',
  },
  {
    what: 'a person who mistypes a password',
    alarm: 'SmsgwPasswordGuessing',
    series: { [GUESSES]: '0+1x60' },
    after: 10,
  },
  {
    what: 'one lost log line',
    alarm: 'SmsgwLogLinesDropped',
    series: { smsgw_log_lines_dropped_total: '0x8 1x20' },
    after: 4,
    summary: 'Log lines are lost',
  },
  {
    what: 'log lines that were lost an hour ago',
    alarm: 'SmsgwLogLinesDropped',
    series: { smsgw_log_lines_dropped_total: '1x60' },
    after: 10,
  },
  {
    what: 'an event loop that is 0.4 s late for ten minutes',
    alarm: 'SmsgwCoreBusy',
    series: { [LAG]: '0.5x60' },
    after: 11,
    summary: 'One CPU core is not enough for relay:9464',
    labels: { instance: 'relay:9464' },
  },
  { what: 'an event loop that is in time', alarm: 'SmsgwCoreBusy', series: { [LAG]: '0.11x60' }, after: 11 },
]

withPromtool('promtool accepts the rules and the configuration in the documentation', () => {
  expect(promtool('check', 'rules', RULES)).toContain(`${ALARMS.length} rules found`)
  promtool('check', 'config', '--syntax-only', join(DOCS, 'examples/prometheus.yml'))
})

withPromtool('each alarm is raised for its cause, and not for less', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-alarms-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'tests.yml')
  // JSON is valid YAML. Prometheus evaluates rules once a minute by default.
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: cases.map(promtoolTest) }),
  )
  promtool('test', 'rules', file)
})

test('each alarm is tested for a cause and for less, and described in the guide', () => {
  const named = (isRaised: boolean) =>
    ALARMS.filter((name) => cases.some(({ alarm, summary }) => alarm === name && (summary !== undefined) === isRaised))
  expect([named(true), named(false)]).toEqual([ALARMS, ALARMS])
  const guide = readFileSync(join(DOCS, 'guides/monitor.md'), 'utf8')
  expect([...guide.matchAll(/^\| `(Smsgw\w+)` \|/gm)].map(([, name]) => name)).toEqual(ALARMS)
})

function promtoolTest({ what, alarm, series, after, summary, labels }: Case) {
  const [, severity, description] =
    new RegExp(`alert: ${alarm}\\n[^]*?severity: (\\w+)[^]*?description: (.*)`).exec(rules) ?? []
  const raised = { exp_labels: { severity, ...labels }, exp_annotations: { summary, description } }
  return {
    name: what,
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: `${after * 60}s`, alertname: alarm, exp_alerts: summary === undefined ? [] : [raised] },
    ],
  }
}

function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}
