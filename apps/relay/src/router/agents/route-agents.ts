import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeCodes } from '@smsgw/contract/link/close-code'
import type { Log } from '@smsgw/daemon/log/log'
import { ArrivalLimits } from '../../link/arrival-limits.ts'
import { Refusals } from '../../link/refusals.ts'
import { type RoutedChallenge, writeRoutedChallenge } from '../../link/routed-challenge.ts'
import { arrivalRefusal, isAgentUpgrade, upgradeRefusal } from '../../link/serve-agents.ts'
import { newId, type Random } from '../../random.ts'
import type { ClientFacts } from '../proxy/forwarded-headers.ts'
import { unavailable } from '../proxy/problem-answer.ts'
import { type CellRouteDeps, cellOfAddress } from '../proxy/route-request.ts'
import { closeAgent, greetAgent } from './agent-handshake.ts'
import { joinSockets, openTunnel, type TunnelFailure } from './agent-tunnel.ts'
import { closeFrame, textFrame } from './server-frames.ts'

/** How long an agent waits for the end of a move. */
const HOLD_MS = 20_000
/** The interval at which a waiting agent receives `pending`. These frames show the agent that its connection works. */
const PENDING_MS = 2_000
/** The largest number of agents whose device is not known yet. */
const MOST_GREETING = 10_000
/**
 * The limit for new connections from all addresses together. A router accepts as many connections as it can hold,
 * because all agents of another router may reconnect here at once. Each relay also limits its own connections.
 */
const OF_ALL_CELLS = { capacity: 60_000, refillMs: 0.5 }

export interface RouteAgentsDeps extends CellRouteDeps {
  readonly routerId: string
  readonly random: Random
  readonly clientOf: (request: IncomingMessage) => ClientFacts
  readonly log: Pick<Log, 'warn'>
}

/**
 * Connects agents to the cells of their devices. An agent names its device in its first message, which answers a
 * challenge. So the router sends the challenge, and a relay of the cell accepts this challenge in place of its own. The
 * relay verifies the signature; the router only reads the id of the device. From then on, the router passes bytes on.
 */
export class AgentRouter {
  readonly #deps: RouteAgentsDeps
  readonly #open = new Set<Duplex>()
  readonly #joined = new Set<(frame: Buffer) => void>()
  readonly #reported = new Set<string>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #limits = new ArrivalLimits(OF_ALL_CELLS)
  readonly #refusals: Refusals
  #greeting = 0
  #isClosed = false

  constructor(server: Server, deps: RouteAgentsDeps) {
    this.#deps = deps
    this.#refusals = new Refusals(() => newId(deps.random))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isAgentUpgrade(request)) return
      socket.on('error', () => socket.destroy())
      if (this.#refuses(request, socket)) return
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      this.#serve(request, socket, head).catch((error) => {
        this.#deps.log.warn({ err: error }, 'agent not connected: directory unavailable')
        closeAgent(socket, closeCodes.unavailable.code, 'the directory of accounts is unavailable')
      })
    })
  }

  get count(): number {
    return this.#open.size
  }

  /** Asks all agents to connect again, to another router. The requests are spread over this time. */
  drain(spreadMs: number): void {
    for (const close of this.#joined) this.#timers.add(setTimeout(() => close(LEAVING), Math.random() * spreadMs))
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#open) socket.destroy()
    this.#refusals.close()
  }

  #refuses(request: IncomingMessage, socket: Duplex): boolean {
    const refusal = this.#isClosed ? unavailable(CLOSED) : upgradeRefusal(request)
    if (refusal !== undefined) {
      this.#refusals.now(socket, refusal)
      return true
    }
    const { address } = this.#deps.clientOf(request)
    const isBusy = this.#greeting >= MOST_GREETING
    const overLimit = isBusy ? unavailable(BUSY) : arrivalRefusal(this.#limits, address, performance.now())
    if (overLimit !== undefined) this.#refusals.late(socket, overLimit)
    return overLimit !== undefined
  }

  async #serve(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { box, random, routerId } = this.#deps
    const challenge = { relayId: routerId, nonce: newId(random) }
    this.#greeting += 1
    const greeting = await greetAgent(request, socket, head, challenge, box).finally(() => {
      this.#greeting -= 1
    })
    if (greeting === undefined) return
    const pending = setInterval(() => socket.write(PENDING), PENDING_MS)
    try {
      await this.#connect(request, socket, greeting, challenge, () => clearInterval(pending))
    } finally {
      clearInterval(pending)
    }
  }

  async #connect(
    request: IncomingMessage,
    socket: Duplex,
    greeting: NonNullable<Awaited<ReturnType<typeof greetAgent>>>,
    challenge: RoutedChallenge,
    stopPending: () => void,
  ): Promise<void> {
    const { placements, pool } = this.#deps
    const found = await placements.accountOf(greeting.claims)
    const { accountId } = found
    if (accountId === undefined && !found.isCertain)
      return this.#refuse(socket, 'the cell of this device is unavailable')
    const giveUpAtMs = performance.now() + HOLD_MS
    for (;;) {
      let cell = accountId === undefined ? undefined : await placements.cellOf(accountId)
      if (accountId !== undefined && cell === undefined && placements.isMoving(accountId)) {
        await placements.untilMoved(accountId, giveUpAtMs - performance.now())
        if (placements.isMoving(accountId)) return this.#refuse(socket, 'the account is moving to other relays')
        continue
      }
      // If the device of the agent is not known, a relay refuses the agent, with the relay's own error text.
      const isKnown = cell !== undefined
      cell ??= cellOfAddress(pool, this.#deps.clientOf(request).address)
      if (cell === undefined) return this.#refuse(socket, 'no relay is available')
      const entered = { accountId: isKnown ? accountId : undefined, cell }
      if ((await this.#tunnel(request, socket, greeting.bytes, { challenge, stopPending, ...entered })) === 'done')
        return
    }
  }

  async #tunnel(
    request: IncomingMessage,
    socket: Duplex,
    bytes: Buffer,
    { challenge, stopPending, accountId, cell }: TunnelOptions,
  ): Promise<'done' | 'moved'> {
    const { placements, pool, box } = this.#deps
    let close: ((frame: Buffer) => void) | undefined
    let isEnding = false
    const end = () => {
      isEnding = true
      close?.(MOVING)
    }
    const leave = accountId === undefined ? () => undefined : placements.enter(accountId, cell, { end })
    if (leave === undefined) return 'moved'
    let failure: TunnelFailure = 'unavailable'
    for (const target of pool.targets(cell)) {
      const opened = await openTunnel(pool, target, {
        ...{ path: request.url ?? '', host: request.headers.host ?? target.url.host },
        ...{ client: this.#deps.clientOf(request), nonce: challenge.nonce },
        challenge: writeRoutedChallenge(box, challenge, Date.now()),
      })
      if (typeof opened === 'string') {
        failure = opened
        if (opened === 'unavailable') pool.reportRefused(target)
        if (opened === 'foreign') this.#reportForeign(target.url.href)
        continue
      }
      if (isEnding || socket.destroyed) {
        opened.socket.destroy()
        leave()
        return socket.destroyed ? 'done' : 'moved'
      }
      stopPending()
      target.inFlight += 1
      const closeJoined = joinSockets(socket, opened.socket, { ofAgent: bytes, ofRelay: opened.rest }, () => {
        target.inFlight -= 1
        this.#joined.delete(closeJoined)
        leave()
      })
      this.#joined.add(closeJoined)
      close = closeJoined
      return 'done'
    }
    leave()
    this.#refuse(socket, REASONS[failure])
    return 'done'
  }

  #refuse(socket: Duplex, reason: string): void {
    closeAgent(socket, closeCodes.unavailable.code, reason)
  }

  #reportForeign(relay: string): void {
    if (this.#reported.has(relay)) return
    this.#reported.add(relay)
    this.#deps.log.warn(
      { relay },
      'relay refuses the challenge of this router: check that relay and router have the same SERVER_SECRET, and that the release of the relay supports cells',
    )
  }
}

interface TunnelOptions {
  readonly challenge: RoutedChallenge
  readonly stopPending: () => void
  /** Undefined if the device is not known. */
  readonly accountId: string | undefined
  readonly cell: string
}

const REASONS: Readonly<Record<TunnelFailure, string>> = {
  unavailable: 'the relays of this account are unavailable',
  refused: 'the relays of this account accept no connections now',
  foreign: 'the relays of this account do not accept this router',
}

const PENDING = textFrame(JSON.stringify({ type: 'pending' }))
const MOVING = closeFrame(closeCodes.goodbye.code, 'the account is moving to other relays')
const LEAVING = closeFrame(closeCodes.goodbye.code, 'the router is shutting down')
const CLOSED = 'The router is shutting down: connect again'
const BUSY = 'Too many agents are connecting: try again in a few seconds'
