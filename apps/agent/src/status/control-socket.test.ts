import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicClock } from '../time/monotonic-clock.ts'
import type { AgentStatus } from './agent-status.ts'
import { agentAnswers, askAgent } from './ask-agent.ts'
import { type ControlAnswers, ControlSocket } from './control-socket.ts'

let folder: string
let control: ControlSocket | undefined
let asked = 0

const answers: ControlAnswers = {
  status: () => ({ version: '1', pid: ++asked }) as AgentStatus,
  examine: () => Promise.reject(new Error('the modem is on fire')),
  rotateEncryptionKey: async () => ({ version: 2, fingerprint: 'ab12' }),
  unlock: async ({ pin }) => pin === '4321',
  storeBaudRate: async ({ port }) => port === '/dev/serial0',
  ussd: async ({ code, simNumber }) => ({ outcome: 'answered', text: `${code} by ${simNumber}`, more: false }),
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-control-'))
  asked = 0
})

afterEach(async () => {
  await control?.close()
  control = undefined
  rmSync(folder, { recursive: true, force: true })
})

test('answers requests, and returns a failure as one line', async () => {
  control = await ControlSocket.open(folder, monotonicClock, answers)
  expect(await askAgent(folder, { ask: 'status' })).toEqual({ version: '1', pid: 1 })
  expect(await askAgent(folder, { ask: 'ussd', code: '*100#', simNumber: 2 })).toMatchObject({ text: '*100# by 2' })
  expect(await askAgent(folder, { ask: 'rotate-encryption-key' })).toEqual({ version: 2, fingerprint: 'ab12' })
  expect(await askAgent(folder, { ask: 'unlock', port: '/dev/ttyUSB2', pin: '4321' })).toBe(true)
  expect(await askAgent(folder, { ask: 'unlock', port: '/dev/ttyUSB2', pin: '9999' })).toBe(false)
  expect(await askAgent(folder, { ask: 'store-baud-rate', port: '/dev/serial0' })).toBe(true)
  await expect(askAgent(folder, { ask: 'examine' })).rejects.toThrow('the modem is on fire')
})

test('repeats the status until the agent stops', async () => {
  control = await ControlSocket.open(folder, monotonicClock, answers)
  const seen: number[] = []
  for await (const { pid } of agentAnswers<AgentStatus>(folder, { ask: 'status', everyMs: 100 })) {
    seen.push(pid)
    if (pid === 3) await control.close()
  }
  control = undefined
  expect(seen).toEqual([1, 2, 3])
})

test('the socket is accessible to its owner only and replaces the socket of a killed agent', async () => {
  writeFileSync(join(folder, 'agent.sock'), '')
  control = await ControlSocket.open(folder, monotonicClock, answers)
  expect(statSync(join(folder, 'agent.sock')).mode & 0o777).toBe(0o600)
})

test('works in a data folder whose path is too long for a socket name', async () => {
  const deep = join(folder, 'a'.repeat(100), 'b'.repeat(100))
  mkdirSync(deep, { recursive: true })
  control = await ControlSocket.open(deep, monotonicClock, answers)
  expect(statSync(join(deep, 'agent.sock')).isSocket()).toBe(true)
  expect(await askAgent(deep, { ask: 'status' })).toEqual({ version: '1', pid: 1 })
})

test('returns undefined if no agent is running', async () => {
  expect(await askAgent(folder, { ask: 'status' })).toBeUndefined()
  expect(await askAgent(join(folder, 'not there', 'x'.repeat(120)), { ask: 'status' })).toBeUndefined()
})

test.each(['nonsense\n', '{"ask":"self-destruct"}\n', '{"ask":"ussd"}\n'])(
  'rejects the unknown request %j',
  async (line) => {
    control = await ControlSocket.open(folder, monotonicClock, answers)
    expect(await raw((socket) => socket.write(line))).toContain('does not support this request')
  },
)

test('disconnects a client that sends too much, and tolerates a client that disconnects at once', async () => {
  control = await ControlSocket.open(folder, monotonicClock, answers)
  expect(await raw((socket) => socket.write('x'.repeat(10_000)))).toBe('')
  await raw((socket) => {
    socket.write('{"ask":"status","everyMs":100}\n')
    socket.destroy()
  })
  expect(await askAgent(folder, { ask: 'status' })).toMatchObject({ version: '1' })
})

function raw(work: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = createConnection(join(folder, 'agent.sock'), () => work(socket))
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(heard))
  })
}
