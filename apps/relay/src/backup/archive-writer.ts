import { createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import { endOfArchive, headerOf, paddingOf } from './tar-blocks.ts'

/**
 * Writes a gzipped tar to a temporary file and renames it when it is complete. `abandon` deletes the temporary file.
 */
export class ArchiveWriter {
  readonly #path: string
  readonly #modified: Date
  readonly #gzip: Gzip
  readonly #file: WriteStream
  #broken: Error | undefined

  constructor(path: string, modified: Date) {
    this.#path = path
    this.#modified = modified
    this.#gzip = createGzip({ level: 6 })
    // Creates a new file that only its owner can read. An existing file is deleted first, because an interrupted backup
    // may have left it, or because it may be a link that an attacker created.
    rmSync(this.#beside, { force: true })
    this.#file = createWriteStream(this.#beside, { mode: 0o600, flags: 'wx' })
    for (const stream of [this.#gzip, this.#file])
      stream.on('error', (error: Error) => {
        this.#broken ??= error
        // Ends the wait of a writer that waits for the stream to drain.
        this.#gzip.destroy()
      })
    this.#gzip.pipe(this.#file)
  }

  /** Adds a file from memory. */
  async add(name: string, content: Uint8Array): Promise<void> {
    await this.begin(name, content.byteLength)
    await this.write(content)
    await this.end(content.byteLength)
  }

  /** Begins a file that is written in pieces. Write `size` bytes in total, then call `end`. */
  begin(name: string, size: number): Promise<void> {
    return this.write(headerOf(name, size, this.#modified))
  }

  end(size: number): Promise<void> {
    return this.write(paddingOf(size))
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken
    if (bytes.byteLength === 0 || this.#gzip.write(bytes)) return
    await new Promise<void>((resolve, reject) => {
      const over = () => (this.#broken === undefined ? resolve() : reject(this.#broken))
      this.#gzip.once('drain', over)
      this.#gzip.once('close', over)
    })
  }

  async finish(): Promise<void> {
    await this.write(endOfArchive)
    this.#gzip.end()
    await finished(this.#file)
    if (this.#broken !== undefined) throw this.#broken
    const file = await open(this.#beside, 'r')
    await file.sync()
    await file.close()
    await rename(this.#beside, this.#path)
  }

  async abandon(): Promise<void> {
    this.#gzip.destroy()
    this.#file.destroy()
    await rm(this.#beside, { force: true })
  }

  get #beside(): string {
    return `${this.#path}.unfinished`
  }
}
