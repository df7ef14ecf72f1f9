// The part of POSIX tar (ustar, IEEE Std 1003.1) that a backup needs: plain files with short names.

const BLOCK = 512
const SIZE_AT = 124
const SUM_AT = 148

export const blockBytes = BLOCK

/** Ends an archive. */
export const endOfArchive = new Uint8Array(2 * BLOCK)

/** What stands before a file. */
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

/** What stands behind it, up to a whole block. */
export function paddingOf(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)
}

/** Undefined: the archive is at its end. */
export function readHeader(block: Buffer): { readonly name: string; readonly size: number } | 'broken' | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const told = Number.parseInt(block.toString('latin1', SUM_AT, SUM_AT + 6), 8)
  if (told !== sumOf(block)) return 'broken'
  const name = block.toString('utf8', 0, 100).replace(/\0.*$/s, '')
  return { name, size: Number.parseInt(block.toString('latin1', SIZE_AT, SIZE_AT + 11), 8) }
}

/** All bytes, those of the sum itself taken for spaces. */
function sumOf(header: Buffer): number {
  let sum = 0
  for (let at = 0; at < BLOCK; at += 1) sum += at >= SUM_AT && at < SUM_AT + 8 ? 0x20 : (header[at] ?? 0)
  return sum
}
