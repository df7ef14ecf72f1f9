// The part of POSIX tar (ustar, IEEE Std 1003.1) that backups use, which is plain files with short names.

const BLOCK = 512
const SIZE_AT = 124
const SUM_AT = 148

export const blockBytes = BLOCK

/** The end of an archive. */
export const endOfArchive = new Uint8Array(2 * BLOCK)

/** Returns the header of a file. */
export function headerOf(name: string, size: number, modified: Date): Uint8Array {
  const header = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`)
  header.write(name, 0)
  header.write('0000600\0', 100)
  header.write('0000000\x000000000\0', 108)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, SIZE_AT)
  header.write(
    `${Math.floor(modified.getTime() / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
  )
  header.write('0ustar\x0000', 156)
  header.copyWithin(257, 157, 165)
  header.fill(0, 157, 165)
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, SUM_AT)
  return header
}

/** Returns the padding that follows a file and fills its last block. */
export function paddingOf(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)
}

/** Reads a header. Returns 'broken' for a damaged header, and undefined at the end of the archive. */
export function readHeader(block: Buffer): { readonly name: string; readonly size: number } | 'broken' | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const recorded = Number.parseInt(block.toString('latin1', SUM_AT, SUM_AT + 6), 8)
  if (recorded !== sumOf(block)) return 'broken'
  const name = block.toString('utf8', 0, 100).replace(/\0.*$/s, '')
  return { name, size: Number.parseInt(block.toString('latin1', SIZE_AT, SIZE_AT + 11), 8) }
}

/** Returns the sum of all bytes, with the checksum field counted as spaces. */
function sumOf(header: Buffer): number {
  let sum = 0
  for (let at = 0; at < BLOCK; at += 1) sum += at >= SUM_AT && at < SUM_AT + 8 ? 0x20 : (header[at] ?? 0)
  return sum
}
