import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeCodes } from '@smsgw/contract/link/close-code'
import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { readAgentFrame } from '@smsgw/link/connection/frame-text'
import { supportedVersions } from '@smsgw/link/connection/versions'
import { ENROLMENT_TOKEN } from '../../auth/enrolment-token.ts'
import { PAIRING_CODE, typedPairingCode } from '../../devices/pairing/pairing-code.ts'
import type { RoutedChallenge } from '../../link/routed-challenge.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Claim } from '../claims/claim.ts'
import { readFirstMessage } from './first-message.ts'
import { closeFrame, textFrame } from './server-frames.ts'

/** How long an agent may take until its first message. */
const HANDSHAKE_MS = 15_000
/** The largest number of bytes up to the end of the first message: the largest message, and some control frames. */
const MOST_BYTES = maxFrameBytes + 4_096

/** The first message of an agent. */
export interface AgentGreeting {
  /** What the message claims. The relay verifies it. */
  readonly claims: readonly Claim[]
  /** All bytes that the agent has sent. */
  readonly bytes: Buffer
}

/**
 * Accepts the WebSocket of an agent, sends the challenge, and reads the first message. Returns undefined if the agent
 * was refused or has disconnected.
 */
export async function greetAgent(
  request: IncomingMessage,
  socket: Duplex,
  start: Buffer,
  challenge: RoutedChallenge,
  box: Pick<SecretBox, 'fingerprint'>,
): Promise<AgentGreeting | undefined> {
  const key = request.headers['sec-websocket-key'] ?? ''
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Accept: ${acceptOf(key)}\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
  )
  socket.write(
    textFrame(JSON.stringify({ type: 'challenge', ...challenge, versions: supportedVersions, sendsPending: true })),
  )
  const result = await readGreeting(socket, start)
  if (result === undefined) return undefined
  if ('reason' in result) {
    closeAgent(socket, closeCodes[result.why].code, result.reason)
    return undefined
  }
  const reading = readAgentFrame(result.text)
  // If the router does not understand the message, it makes no claims and passes the message on. The relay then sends
  // its own error text.
  const claims = reading.kind === 'frame' ? claimsOfFrame(reading.frame, box) : []
  return { claims, bytes: result.bytes }
}

/** Sends a close frame to an agent and ends the connection. */
export function closeAgent(socket: Duplex, code: number, reason: string): void {
  if (socket.destroyed) return
  socket.end(closeFrame(code, reason))
  setTimeout(() => socket.destroy(), CLOSE_MS).unref()
}

const CLOSE_MS = 3_000
/** A usual first message is smaller. */
const FIRST_BYTES = 2_048

type FirstText =
  | { readonly text: string; readonly bytes: Buffer }
  | { readonly why: 'malformed' | 'too-much' | 'timed-out'; readonly reason: string }

function readGreeting(socket: Duplex, start: Buffer): Promise<FirstText | undefined> {
  return new Promise((resolve) => {
    let buffer = Buffer.alloc(FIRST_BYTES)
    let bytes = 0
    const end = (result: FirstText | undefined) => {
      clearTimeout(timer)
      socket.off('data', onData).off('end', onGone).off('close', onGone)
      socket.pause()
      resolve(result)
    }
    const onGone = () => {
      socket.destroy()
      end(undefined)
    }
    const onData = (chunk: Buffer) => {
      const size = bytes + chunk.length
      // Doubles the buffer, so that an agent that sends single bytes does not cause a copy for each byte.
      if (size > buffer.length) buffer = Buffer.concat([buffer.subarray(0, bytes)], Math.max(size, 2 * buffer.length))
      chunk.copy(buffer, bytes)
      bytes = size
      const all = buffer.subarray(0, bytes)
      const first = readFirstMessage(all, maxFrameBytes)
      if (first.kind === 'text') end({ text: first.text, bytes: all })
      else if (first.kind === 'refused') end({ why: 'malformed', reason: first.reason })
      else if (bytes > MOST_BYTES) end({ why: 'too-much', reason: 'too many bytes before the first message' })
    }
    const timer = setTimeout(
      () => end({ why: 'timed-out', reason: 'the first message did not arrive in time' }),
      HANDSHAKE_MS,
    )
    socket.on('data', onData).once('end', onGone).once('close', onGone)
    if (start.length > 0) onData(start)
    socket.resume()
  })
}

function claimsOfFrame(
  frame: Extract<ReturnType<typeof readAgentFrame>, { kind: 'frame' }>['frame'],
  box: Pick<SecretBox, 'fingerprint'>,
): readonly Claim[] {
  if (frame.type === 'hello') return [{ kind: 'device', name: frame.deviceId }]
  if (frame.type !== 'pair') return []
  const code = typedPairingCode(frame.credential)
  return code === undefined
    ? [{ kind: 'enrolment', name: box.fingerprint(frame.credential, ENROLMENT_TOKEN) }]
    : [{ kind: 'code', name: box.fingerprint(code, PAIRING_CODE) }]
}

/** RFC 6455 §4.2.2 */
function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}
