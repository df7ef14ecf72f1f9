import type { Client, Submittable } from 'pg'

/** The interface of a query that `pg` runs, and the parts of its connection that COPY uses. */
interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
  readonly stream: { pause(): void; resume(): void; readonly writableNeedDrain: boolean } & NodeJS.EventEmitter
}

/** The limit of buffered bytes. Above this limit, the connection is paused. */
const HELD_BYTES = 4 << 20

/** Yields the data of `COPY … TO STDOUT` in pieces of any size, then returns the number of rows. */
export async function* copyOut(client: Client, sql: string): AsyncGenerator<Buffer, number> {
  const copy = new CopyOut(sql)
  client.query(copy as unknown as Submittable)
  for (;;) {
    const chunk = await copy.next()
    if (chunk === undefined) return copy.rows
    yield chunk
  }
}

/** Sends data to `COPY … FROM STDIN` and returns the number of rows. */
export function copyIn(client: Client, sql: string, rows: AsyncIterable<Uint8Array>): Promise<number> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(sql, rows, resolve, reject) as unknown as Submittable)
  })
}

/** The messages that both directions handle in the same way. */
class Copy {
  readonly #sql: string
  connection: CopyConnection | undefined
  rows = 0

  constructor(sql: string) {
    this.#sql = sql
  }

  submit(connection: CopyConnection): void {
    this.connection = connection
    connection.query(this.#sql)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0)
  }
}

class CopyOut extends Copy {
  readonly #chunks: Buffer[] = []
  #heldBytes = 0
  #isOver = false
  #error: Error | undefined
  #wake: () => void = () => undefined

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // Copies the data, because the connection reuses its buffer.
    this.#chunks.push(Buffer.from(chunk))
    this.#heldBytes += chunk.length
    if (this.#heldBytes > HELD_BYTES) this.connection?.stream.pause()
    this.#wake()
  }

  handleReadyForQuery(): void {
    this.#isOver = true
    this.#wake()
  }

  handleError(error: Error): void {
    this.#error = error
    this.#isOver = true
    this.#wake()
  }

  async next(): Promise<Buffer | undefined> {
    while (this.#chunks.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#error !== undefined) throw this.#error
    if (this.#chunks.length === 0) return undefined
    const all = Buffer.concat(this.#chunks.splice(0))
    this.#heldBytes = 0
    this.connection?.stream.resume()
    return all
  }
}

class CopyIn extends Copy {
  readonly #content: AsyncIterable<Uint8Array>
  readonly #resolve: (rows: number) => void
  readonly #reject: (error: unknown) => void
  #failure: unknown

  constructor(
    sql: string,
    content: AsyncIterable<Uint8Array>,
    resolve: (rows: number) => void,
    reject: (error: unknown) => void,
  ) {
    super(sql)
    this.#content = content
    this.#resolve = resolve
    this.#reject = reject
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.#feed(connection).catch((error: unknown) => {
      this.#failure = error
      connection.sendCopyFail('aborted')
    })
  }

  async #feed(connection: CopyConnection): Promise<void> {
    for await (const chunk of this.#content) {
      if (this.#failure !== undefined) return
      connection.sendCopyFromChunk(chunk)
      if (connection.stream.writableNeedDrain) await new Promise((resolve) => connection.stream.once('drain', resolve))
    }
    connection.endCopyFrom()
  }

  handleReadyForQuery(): void {
    this.#resolve(this.rows)
  }

  handleError(error: Error): void {
    this.#reject(this.#failure ?? error)
    this.#failure ??= error
  }
}
