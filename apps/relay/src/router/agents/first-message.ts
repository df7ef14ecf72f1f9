/** The result of reading the start of a WebSocket stream. */
export type FirstMessage =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'text'; readonly text: string }
  /** The stream cannot be read, or its first message is not a text. */
  | { readonly kind: 'refused'; readonly reason: string }

const TEXT = 1
const FIRST_CONTROL = 8

/**
 * Reads the first message in the bytes of a WebSocket client (RFC 6455 §5.2). Skips control frames before it. Agents
 * send each message in one frame, so a message in several frames is refused.
 */
export function readFirstMessage(bytes: Buffer, mostBytes: number): FirstMessage {
  let at = 0
  for (let controls = 0; ; controls += 1) {
    if (controls > MOST_CONTROLS) return refused('too many control frames before the first message')
    const frame = readFrame(bytes, at, mostBytes)
    if (frame.kind !== 'frame') return frame
    at = frame.end
    if (frame.opcode >= FIRST_CONTROL) continue
    if (frame.opcode !== TEXT || !frame.isFinal) return refused('the first message must be one text frame')
    return { kind: 'text', text: frame.payload.toString() }
  }
}

/** Agents send no control frames before the first message, but other clients may. */
const MOST_CONTROLS = 8

type FrameReading = Exclude<FirstMessage, { kind: 'text' }> | Frame

interface Frame {
  readonly kind: 'frame'
  readonly opcode: number
  readonly isFinal: boolean
  readonly payload: Buffer
  /** The position after the frame. */
  readonly end: number
}

function readFrame(bytes: Buffer, at: number, mostBytes: number): FrameReading {
  if (bytes.length < at + 2) return INCOMPLETE
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]]
  if ((first & RESERVED) !== 0) return refused('reserved bits are set, but no extension was agreed')
  if ((second & MASKED) === 0) return refused('frames of a client must be masked')
  const short = second & LENGTH
  if ((first & OPCODE) >= FIRST_CONTROL && (short > LONGEST_CONTROL || (first & FINAL) === 0))
    return refused(`a control frame must have at most ${LONGEST_CONTROL} bytes and must not be fragmented`)
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
  const head = at + 2 + lengthBytes + MASK_BYTES
  if (bytes.length < head) return INCOMPLETE
  const length = lengthBytes === 0 ? short : Number(BigInt(`0x${bytes.toString('hex', at + 2, at + 2 + lengthBytes)}`))
  if (length > mostBytes) return refused(`the first message is larger than ${mostBytes} bytes`)
  const end = head + length
  if (bytes.length < end) return INCOMPLETE
  const payload = Buffer.from(bytes.subarray(head, end))
  for (let index = 0; index < length; index += 1)
    payload[index] = (payload[index] ?? 0) ^ (bytes[head - MASK_BYTES + (index % MASK_BYTES)] ?? 0)
  return { kind: 'frame', opcode: first & OPCODE, isFinal: (first & FINAL) !== 0, payload, end }
}

const FINAL = 0x80
const RESERVED = 0x70
const OPCODE = 0x0f
const MASKED = 0x80
const LENGTH = 0x7f
const MASK_BYTES = 4
const LONGEST_CONTROL = 125

const INCOMPLETE = { kind: 'incomplete' } as const

function refused(reason: string): FirstMessage & { kind: 'refused' } {
  return { kind: 'refused', reason }
}
