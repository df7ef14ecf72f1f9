// A process with a part of the fleet. Its agents have the real session machine and real sockets, but a journal in
// memory. For comparison, the process can also open bare WebSockets. One process can open only as many sockets as
// its limit of open files allows, so `agent-clients.ts` starts several of these processes. Each has its own address,
// because one address has too few ports.
import { WebSocket } from 'ws'
import { ScriptedAgent } from '../../src/link/testing/scripted-agent.ts'

/** An order from `agent-clients.ts`. */
export type ClientOrder =
  | { readonly kind: 'create'; readonly from: number; readonly count: number; readonly localAddress: string }
  | { readonly kind: 'connect'; readonly urls: readonly string[]; readonly atOnce: number }
  | { readonly kind: 'connect-bare'; readonly url: string; readonly count: number; readonly localAddress: string }
  | { readonly kind: 'disconnect' }

export type ClientReport =
  | { readonly kind: 'created'; readonly devices: readonly { readonly id: string; readonly publicKey: string }[] }
  | { readonly kind: 'connected' | 'connected-bare' | 'disconnected' }
  /**
   * The time at which a message reached its agent, or a probe reached its bare socket, on the machine's monotonic
   * clock.
   */
  | { readonly kind: 'arrived'; readonly id: string; readonly atNs: string }

/** Agents do not finish messages, so this must be larger than the number of messages that one agent gets. */
const CAPACITY = 1_000_000

let agents: ScriptedAgent[] = []
let bareSockets: WebSocket[] = []

process.on('message', (order: ClientOrder) => void obey(order))
process.on('disconnect', () => process.exit())

async function obey(order: ClientOrder): Promise<void> {
  switch (order.kind) {
    case 'create':
      create(order)
      break
    case 'connect':
      await connect(order)
      break
    case 'connect-bare':
      await connectBare(order)
      break
    case 'disconnect':
      for (const agent of agents) agent.stop()
      for (const socket of bareSockets) socket.terminate()
      agents = []
      bareSockets = []
      report({ kind: 'disconnected' })
  }
}

function create({ from, count, localAddress }: ClientOrder & { kind: 'create' }): void {
  agents = Array.from({ length: count }, (_, index) => {
    const number = from + index
    return new ScriptedAgent({
      url: '',
      identity: { deviceId: `bench-${number}` },
      // The relay limits new connections for each address, so each agent claims a different address.
      address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
      localAddress,
      capacity: CAPACITY,
      chance: Math.random(),
      answer(command) {
        if (command.kind === 'send') arrived(command.messageId)
        return []
      },
    })
  })
  const devices = agents.map(({ deviceId: id, keys: { publicKey } }) => ({ id, publicKey }))
  report({ kind: 'created', devices })
}

/** Connects each agent to one of the relays. */
async function connect({ urls, atOnce }: ClientOrder & { kind: 'connect' }): Promise<void> {
  for (const [number, agent] of agents.entries()) agent.url = urls[number % urls.length] ?? ''
  const left = agents.values()
  const connectOneByOne = async () => {
    for (const agent of left) await agent.start().online()
  }
  await Promise.all(Array.from({ length: atOnce }, connectOneByOne))
  report({ kind: 'connected' })
}

async function connectBare({ url, count, localAddress }: ClientOrder & { kind: 'connect-bare' }): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const socket = new WebSocket(url, { localAddress })
    socket.on('message', (data) => arrived(data.toString()))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    bareSockets.push(socket)
  }
  report({ kind: 'connected-bare' })
}

function arrived(id: string): void {
  report({ kind: 'arrived', id, atNs: String(process.hrtime.bigint()) })
}

function report(what: ClientReport): void {
  process.send?.(what)
}
