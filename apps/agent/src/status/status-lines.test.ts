import { expect, test } from 'vitest'
import { type AgentStatus, waitingStatuses } from './agent-status.ts'
import { relayText, statusLines } from './status-lines.ts'

const link = { relay: 'wss://sms.example.org/agent/v1', deviceId: 'd1', eventsWaiting: 0, problem: undefined } as const

test('shows the relay, or why it is not connected', () => {
  expect(relayText({ ...link, phase: 'online' })).toBe('connected to wss://sms.example.org/agent/v1')
  expect(relayText({ ...link, phase: 'online', relay: 'in this process' })).toBe('connected, in this process')
  const refused = { ...link, phase: 'waiting', problem: 'connection refused' } as const
  expect(relayText(refused)).toBe('wss://sms.example.org/agent/v1: connection refused')
})

const status: AgentStatus = {
  ...{ version: '1', pid: 7, upMs: 1_000, link: { ...link, phase: 'online' } },
  ...{ queue: { open: 3, waiting: 3, inDoubt: 0 }, waiting: [], modems: [], sims: [], unusable: [] },
  journal: { id: 'j', fsyncMs: 1, problem: undefined },
  clock: { trusted: true, systemErrorMs: undefined },
  logLinesDropped: 0,
}

test('shows why messages wait, and the end of the wait in local time', () => {
  const until = '2026-03-01T17:00:00.000Z'
  const waiting = waitingStatuses({
    sims: [],
    messages: [
      { reason: 'limit', until, simNumber: 1, cmdIds: ['a', 'b'] },
      { reason: 'sim_locked', simNumber: 2, cmdIds: ['c'] },
    ],
  })
  const lines = statusLines({ ...status, waiting }).filter((line) => line.startsWith('  waiting'))
  expect(lines).toEqual([
    `  waiting   2 messages: SIM 1 has reached its message limit. Sending continues at ${new Date(until).toLocaleString('sv-SE')}.`,
    '  waiting   1 message: SIM 2 is locked: it needs its PIN or PUK.',
  ])
})

test('shows one line for messages that wait for the same reason until different times', () => {
  const [early, late] = ['2026-03-01T17:00:00.000Z', '2026-03-01T17:00:07.000Z'] as const
  const waiting = waitingStatuses({
    sims: [],
    messages: [
      { reason: 'outcome_unknown', until: late, cmdIds: ['a'] },
      { reason: 'scheduled', until: early, cmdIds: ['b', 'c'] },
      { reason: 'outcome_unknown', until: early, cmdIds: ['d'] },
      { reason: 'scheduled', until: late, cmdIds: ['e'] },
      { reason: 'retry', until: late, simNumber: 1, cmdIds: ['f'] },
      { reason: 'retry', until: early, simNumber: 1, cmdIds: ['g'] },
      { reason: 'retry', until: late, simNumber: 2, cmdIds: ['h'] },
    ],
  })
  expect(waiting).toMatchObject([
    { count: 2, message: expect.stringContaining(`until ${late} at the latest`) },
    { count: 3, message: 'Scheduled.' },
    { count: 2, message: `Temporarily refused. Next try at ${early}.` },
    { count: 1, message: `Temporarily refused. Next try at ${late}.` },
  ])
})

test('shows the status of an agent of an older release, which has no waiting reasons', () => {
  const { waiting: _, ...older } = status
  expect(statusLines(older as AgentStatus).join('\n')).not.toContain('  waiting')
})

test('shows the version and the fingerprint of the encryption key', () => {
  const lines = statusLines({ ...status, encryptionKey: { version: 2, fingerprint: 'ab12cd34' } })
  expect(lines.join('\n')).toContain('Key         version 2, SHA-256 of the public key:\n            AB12:CD34')
})

test('shows that the network and the storage of a locked SIM are unknown', () => {
  const lines = statusLines({
    ...status,
    modems: [{ state: 'blocked', words: 'The SIM requires its PIN.', port: 'tcp' }],
  })
  expect(lines).toContain('  network   unknown')
  expect(lines).toContain('  storage   unknown')
})

test('shows the second port of a modem, and that ModemManager shares a modem', () => {
  const modem = { state: 'ready', words: 'ready', port: '/dev/ttyUSB2' }
  const second = { address: '/dev/ttyUSB3', isInUse: true }
  const lines = statusLines({
    ...status,
    modems: [
      { ...modem, simNumber: 1, secondPort: second },
      { ...modem, simNumber: 2, secondPort: { ...second, isInUse: false } },
      { ...modem, simNumber: 3, sharedWithModemManager: true },
    ],
  })
  expect(lines.filter((line) => /port 2|shared/.test(line))).toEqual([
    '  port 2    /dev/ttyUSB3, also used for commands',
    '  port 2    /dev/ttyUSB3, free',
    '  shared    ModemManager may use the other ports of the modem',
  ])
})

test('shows the channels of the bridge, with their problems', () => {
  const since = '2026-03-01T17:00:00.000Z'
  const components = [
    { component: 'Bridge', part: 'email', problem: undefined, since },
    { component: 'Bridge', part: 'mqtt', problem: 'MQTT broker unavailable: connection closed', since },
  ]
  const at = new Date(since).toLocaleString('sv-SE')
  expect(statusLines({ ...status, components }).filter((line) => line.startsWith('Bridge'))).toEqual([
    `Bridge      email: works, since ${at}`,
    `Bridge      mqtt: MQTT broker unavailable: connection closed, since ${at}`,
  ])
})
