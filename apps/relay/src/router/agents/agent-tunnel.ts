import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { subprotocol } from '@smsgw/contract/link/frame'
import { ROUTED_CHALLENGE_HEADER } from '../../link/routed-challenge.ts'
import type { ClientFacts } from '../proxy/forwarded-headers.ts'
import { basePath, type RelayPool, type RelayTarget } from '../proxy/relay-pool.ts'
import { FrameBoundary } from './server-frames.ts'

/** How long a relay may take to accept the WebSocket and to send its challenge. */
const OPEN_MS = 10_000
/** How long the rest of the bytes may take when one end has closed. */
const FLUSH_MS = 5_000
const KEEP_ALIVE_MS = 60_000

export interface AgentUpgrade {
  readonly path: string
  readonly host: string
  readonly client: ClientFacts
  /** The header that contains the challenge of the router. */
  readonly challenge: string
  readonly nonce: string
}

/** A WebSocket to a relay that has repeated the router's challenge. */
export interface OpenTunnel {
  readonly socket: Duplex
  /** The bytes after the challenge. */
  readonly rest: Buffer
}

/** `refused`: the relay accepts no connection now. `foreign`: the relay does not know the challenges of routers. */
export type TunnelFailure = 'unavailable' | 'refused' | 'foreign'

/** Opens the WebSocket of an agent to a relay. */
export function openTunnel(
  pool: RelayPool,
  target: RelayTarget,
  { path, host, client, challenge, nonce }: AgentUpgrade,
): Promise<OpenTunnel | TunnelFailure> {
  return new Promise((resolve) => {
    const headers = [
      ...['Host', host, 'Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13'],
      ...['Sec-WebSocket-Key', randomBytes(16).toString('base64'), 'Sec-WebSocket-Protocol', subprotocol],
      ...['X-Forwarded-For', client.address, 'X-Forwarded-Proto', client.isSecure ? 'https' : 'http'],
      ...[ROUTED_CHALLENGE_HEADER, challenge],
    ]
    const sent = pool.request(target, { method: 'GET', path: basePath(target.url) + path, headers })
    const timer = setTimeout(() => sent.destroy(new Error('timeout')), OPEN_MS)
    const end = (result: OpenTunnel | TunnelFailure) => {
      clearTimeout(timer)
      resolve(result)
    }
    sent.on('error', () => end('unavailable'))
    sent.on('response', (answer: IncomingMessage) => {
      answer.resume()
      sent.destroy()
      end('refused')
    })
    sent.on('upgrade', (_, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      clearTimeout(timer)
      void readChallenge(socket, head, nonce).then(end)
    })
    sent.end()
  })
}

/** Reads the first frame of the relay, which must be the challenge of the router. */
function readChallenge(socket: Duplex, head: Buffer, nonce: string): Promise<OpenTunnel | TunnelFailure> {
  return new Promise((resolve) => {
    let all = Buffer.alloc(0)
    const boundary = new FrameBoundary()
    const end = (result: OpenTunnel | TunnelFailure) => {
      clearTimeout(timer)
      socket.off('data', onData).off('end', onGone).off('close', onGone)
      socket.pause()
      if (typeof result === 'string') socket.destroy()
      resolve(result)
    }
    const onGone = () => end('unavailable')
    const onData = (chunk: Buffer) => {
      const before = all.length
      const at = boundary.push(chunk)
      all = Buffer.concat([all, chunk])
      if (at === undefined) return all.length > MOST_CHALLENGE_BYTES ? end('foreign') : undefined
      const frame = all.subarray(0, before + at)
      end(frame.includes(`"nonce":"${nonce}"`) ? { socket, rest: all.subarray(before + at) } : 'foreign')
    }
    const timer = setTimeout(() => end('unavailable'), OPEN_MS)
    socket.on('data', onData).once('end', onGone).once('close', onGone)
    if (head.length > 0) onData(head)
    socket.resume()
  })
}

const MOST_CHALLENGE_BYTES = 4_096

/**
 * Forwards bytes between an agent and a relay in both directions, without interpreting the bytes, until the agent or
 * the relay closes its connection. Returns a function that sends a close frame to the agent at the next end of a frame
 * and then closes both connections.
 */
export function joinSockets(
  agent: Duplex,
  relay: Duplex,
  first: { readonly ofAgent: Buffer; readonly ofRelay: Buffer },
  onClosed: () => void,
): (frame: Buffer) => void {
  const boundary = new FrameBoundary()
  let closing: Buffer | undefined
  let open = 2
  for (const [one, other] of [
    [agent, relay],
    [relay, agent],
  ] as const) {
    if ('setKeepAlive' in one)
      (one as unknown as { setKeepAlive(on: boolean, ms: number): void }).setKeepAlive(true, KEEP_ALIVE_MS)
    if ('setNoDelay' in one) (one as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true)
    // The other side still gets the bytes that have already arrived. Then its connection is closed, even if the other
    // side does not close it itself.
    one.once('end', () => {
      other.end()
      setTimeout(() => other.destroy(), FLUSH_MS).unref()
    })
    one.once('close', () => {
      open -= 1
      other.end()
      setTimeout(() => other.destroy(), FLUSH_MS).unref()
      if (open === 0) onClosed()
    })
    one.on('drain', () => other.resume())
  }
  const end = (frame: Buffer) => {
    agent.end(frame)
    relay.destroy()
    setTimeout(() => agent.destroy(), FLUSH_MS).unref()
  }
  const toAgent = (chunk: Buffer) => {
    if (agent.writableEnded) return
    const at = boundary.push(chunk)
    if (closing !== undefined && at !== undefined) {
      agent.write(chunk.subarray(0, at))
      end(closing)
    } else if (!agent.write(chunk)) relay.pause()
  }
  const toRelay = (chunk: Buffer) => {
    if (!relay.writableEnded && !relay.write(chunk)) agent.pause()
  }
  if (first.ofRelay.length > 0) toAgent(first.ofRelay)
  toRelay(first.ofAgent)
  agent.on('data', toRelay)
  relay.on('data', toAgent)
  agent.resume()
  relay.resume()
  return (frame) => {
    if (closing !== undefined || agent.writableEnded) return
    closing = frame
    if (boundary.isBetweenFrames) end(frame)
  }
}
