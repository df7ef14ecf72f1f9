import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@smsgw/daemon/log/log'
import { expect, onTestFinished, test } from 'vitest'
import { openState } from '../state/bridge-state.ts'
import { HandledItems } from '../state/handled-items.ts'
import { Broker } from './broker.ts'
import { OutgoingPackets } from './outgoing-packets.ts'

/** Starts a broker that answers each CONNECT with the packet. Returns its URL. */
async function brokerAnswering(packet: readonly number[]): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.from(packet)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns the first problem that the bridge reports about the broker. */
async function firstProblem(url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-broker-'))
  const database = openState(folder)
  const handled = new HandledItems(database, 'mqtt')
  const problems: string[] = []
  const broker = new Broker({
    session: { url, ca: undefined, clientId: 'test', availabilityTopic: 'smsgw/availability', topics: ['smsgw/send'] },
    packets: new OutgoingPackets(database, handled),
    handled,
    log: openLog('fatal', process.stdout),
    onMessage: () => true,
    onDisconnect: () => undefined,
    onConnect: () => undefined,
    onProblem: (problem) => {
      if (problem !== undefined) problems.push(problem)
    },
  })
  onTestFinished(async () => {
    await broker.close()
    database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await expect.poll(() => problems).not.toEqual([])
  return problems[0] ?? ''
}

test.each([
  ['MQTT 3.1.1', [0x20, 2, 0, 1]],
  ['MQTT 5', [0x20, 3, 0, 0x84, 0]],
])(
  'a broker that refuses the protocol version in the form of %s is reported with the version that it needs',
  async (_, packet) => {
    expect(await firstProblem(await brokerAnswering(packet))).toContain('does not support MQTT 5')
  },
)

test('another refusal is reported as the broker states it', async () => {
  expect(await firstProblem(await brokerAnswering([0x20, 3, 0, 0x87, 0]))).toContain('Not authorized')
})
