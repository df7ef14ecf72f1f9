/** Returns a text frame of a server (RFC 6455 §5.2). */
export function textFrame(text: string): Buffer {
  return frame(0x81, Buffer.from(text))
}

/** Returns a close frame of a server. The reason is cut to the limit of a control frame. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason.replace(/[^ -~]/g, '?')).subarray(0, LONGEST_REASON)
  const payload = Buffer.alloc(2 + text.length)
  payload.writeUInt16BE(code)
  text.copy(payload, 2)
  return frame(0x88, payload)
}

const LONGEST_REASON = 123

function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.of(first, length), payload])
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head[0] = first
  head[1] = head.length === 4 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(length, 2)
  else head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

/**
 * Follows the frames of a server without reading their content, so that the router knows where it can insert a close
 * frame. Frames of a server are not masked.
 */
export class FrameBoundary {
  /** The bytes of an incomplete head. */
  #head = Buffer.alloc(0)
  /** The bytes of the present frame that have not arrived. */
  #left = 0n

  /** True if the next byte begins a frame. */
  get isBetweenFrames(): boolean {
    return this.#left === 0n && this.#head.length === 0
  }

  /** Follows the bytes. Returns the position of the first boundary in them, or undefined. */
  push(bytes: Buffer): number | undefined {
    let boundary: number | undefined
    let at = 0
    while (at < bytes.length) {
      if (this.#left > 0n) {
        const here = this.#left < BigInt(bytes.length - at) ? Number(this.#left) : bytes.length - at
        this.#left -= BigInt(here)
        at += here
      } else {
        const before = this.#head.length
        this.#head = Buffer.concat([this.#head, bytes.subarray(at, at + HEAD_BYTES - before)])
        const { headBytes, length } = headOf(this.#head)
        if (this.#head.length < headBytes) return boundary
        at += headBytes - before
        this.#head = Buffer.alloc(0)
        this.#left = length
      }
      if (this.isBetweenFrames) boundary ??= at
    }
    return boundary
  }
}

const HEAD_BYTES = 10

/** Returns the size of a head and the length of the payload. The length is valid if the head is complete. */
function headOf(head: Buffer): { readonly headBytes: number; readonly length: bigint } {
  const short = (head[1] ?? 0) & 0x7f
  if (head.length < 2) return { headBytes: 2, length: 0n }
  if (short === 126) return { headBytes: 4, length: head.length < 4 ? 0n : BigInt(head.readUInt16BE(2)) }
  if (short === 127) return { headBytes: 10, length: head.length < 10 ? 0n : head.readBigUInt64BE(2) }
  return { headBytes: 2, length: BigInt(short) }
}
