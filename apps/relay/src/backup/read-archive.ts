import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { StartError } from '@smsgw/daemon/start-error'
import { blockBytes, readHeader } from './tar-blocks.ts'

export interface ArchivedFile {
  readonly name: string
  readonly size: number
  /** The caller must read the content to its end before it requests the next file. */
  readonly content: AsyncIterable<Buffer>
}

/** Yields the files of a gzipped tar. Throws a StartError when the archive is invalid or truncated. */
export async function* readArchive(path: string): AsyncGenerator<ArchivedFile> {
  const gunzip = createGunzip()
  const file = createReadStream(path).on('error', (error) => gunzip.destroy(error))
  const bytes = new ByteReader(file.pipe(gunzip), path)
  try {
    for (;;) {
      const header = readHeader(await bytes.exactly(blockBytes))
      if (header === undefined) return
      if (header === 'broken') throw notWhole(path, 'a header is damaged')
      yield { ...header, content: bytes.upTo(header.size) }
      await bytes.exactly((blockBytes - (header.size % blockBytes)) % blockBytes)
    }
  } finally {
    file.destroy()
    gunzip.destroy()
  }
}

class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #path: string
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>, path: string) {
    this.#chunks = source[Symbol.asyncIterator]()
    this.#path = path
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.upTo(size)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *upTo(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#held.length === 0) this.#held = await this.#next()
      const part = this.#held.subarray(0, left)
      this.#held = this.#held.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next().catch((error: Error) => {
      throw notWhole(this.#path, error.message, error)
    })
    if (done) throw notWhole(this.#path, 'it is truncated')
    return value
  }
}

function notWhole(path: string, problem: string, cause?: Error): StartError {
  return new StartError(`${path} is not a complete backup (${problem}), so nothing was restored`, { cause })
}
