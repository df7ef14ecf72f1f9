// Makes the requests of `smsgate`, the published command line.
import { randomBytes } from 'node:crypto'
import { OriginApiError, type OriginClient, type OriginMessage, type OriginTimeRange } from './origin-client.ts'

/** What a shell sees. Status 2 is an error of the server. */
export interface SmsgateResult {
  readonly status: 0 | 2
  readonly output: string
}

/** Options of `send` and `batch send`, by the names of the request. */
export interface SmsgateOptions {
  readonly body?: object
  readonly query?: Readonly<Record<string, string | number | boolean>>
}

export class SmsgateCommand {
  readonly #client: OriginClient

  constructor(client: OriginClient) {
    this.#client = client
  }

  /** Always asks for a delivery report, unless an option says otherwise. */
  send(phones: readonly string[], content: Content, { body, query }: SmsgateOptions = {}): Promise<SmsgateResult> {
    const message = { ...content, phoneNumbers: phones, withDeliveryReport: true, ...body }
    return finished(async () => stateLines(await this.#client.send(message, query)))
  }

  status(id: string): Promise<SmsgateResult> {
    return finished(async () => stateLines(await this.#client.getState(id)))
  }

  registerWebhook(event: string, url: string, id?: string): Promise<SmsgateResult> {
    const made = { event, url, ...(id !== undefined && { id }) }
    return finished(async () => (await this.#client.registerWebhook(made)).id)
  }

  listWebhooks(): Promise<SmsgateResult> {
    return finished(async () => (await this.#client.listWebhooks()).map(({ id, url }) => `${id} ${url}`).join('\n'))
  }

  deleteWebhook(id: string): Promise<SmsgateResult> {
    return finished(async () => {
      await this.#client.deleteWebhook(id)
      return 'Success'
    })
  }

  logs(range: OriginTimeRange): Promise<SmsgateResult> {
    return finished(async () => (await this.#client.getLogs(range)).map(({ message }) => message).join('\n'))
  }

  /**
   * Sends one message for each row, with several requests at the same time and an id of its own for each row. The first
   * error stops the batch, unless `continuesOnError` is set.
   */
  async batchSend(
    rows: readonly BatchRow[],
    { concurrency, continuesOnError, options = {} }: BatchOptions,
  ): Promise<BatchResult> {
    const waiting = [...rows]
    const enqueued: string[] = []
    const errors: string[] = []
    const worker = async () => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        const id = row.id ?? timeOrderedUuid()
        const message = { id, textMessage: { text: row.text }, phoneNumbers: [row.phone], withDeliveryReport: true }
        try {
          enqueued.push((await this.#client.send({ ...message, ...options.body }, options.query)).id)
        } catch (error) {
          errors.push(String(error))
          if (!continuesOnError) waiting.length = 0
        }
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return { enqueued, errors, skipped: rows.length - enqueued.length - errors.length }
  }
}

type Content = Pick<OriginMessage, 'textMessage' | 'dataMessage' | 'mmsMessage'>

export interface BatchRow {
  readonly phone: string
  readonly text: string
  readonly id?: string
}

interface BatchOptions {
  readonly concurrency: number
  readonly continuesOnError: boolean
  readonly options?: SmsgateOptions
}

interface BatchResult {
  readonly enqueued: readonly string[]
  readonly errors: readonly string[]
  readonly skipped: number
}

async function finished(run: () => Promise<string>): Promise<SmsgateResult> {
  try {
    return { status: 0, output: await run() }
  } catch (error) {
    if (error instanceof OriginApiError) return { status: 2, output: error.message }
    throw error
  }
}

const stateLines = ({ id, state }: { readonly id: string; readonly state: string }) => `ID: ${id}\nState: ${state}`

/** Returns a UUID of version 7, which the command line uses as the id of a row: 36 characters. */
function timeOrderedUuid(): string {
  const octets = randomBytes(16)
  octets.writeUIntBE(Date.now(), 0, 6)
  octets[6] = (Number(octets[6]) & 0x0f) | 0x70
  octets[8] = (Number(octets[8]) & 0x3f) | 0x80
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
