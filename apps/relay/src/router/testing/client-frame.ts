/** Returns a frame of a WebSocket client, with a mask (RFC 6455 §5.3). */
export function clientFrame(text: string, opcode = 1, isFinal = true): Buffer {
  const payload = Buffer.from(text)
  const mask = Buffer.of(0x12, 0x34, 0x56, 0x78)
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = (isFinal ? 0x80 : 0) | opcode
  head[1] = 0x80 | (length < 126 ? length : head.length === 4 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))
  return Buffer.concat([head, mask, masked])
}
