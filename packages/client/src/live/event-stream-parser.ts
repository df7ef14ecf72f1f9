/** A block of a stream of Server-Sent Events. `id` is the last id in the stream so far. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** The longest block. The gateway never sends a longer block. */
const MOST_CHARACTERS = 4_194_304

/** Parses a stream of Server-Sent Events that arrives in pieces. A piece may end anywhere, even inside a line. */
export class EventStreamParser {
  /**
   * The id of the last complete block. Blocks without data also have an id, so that the position of an idle client
   * advances.
   */
  lastId: string | undefined
  #rest = ''
  #id: string | undefined
  #event = ''
  #data: string[] = []

  /** Adds a text, and returns the events that it completes. */
  push(text: string): StreamEvent[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MOST_CHARACTERS) throw new Error('the stream of events has a line that is too long')
    return lines.flatMap((line) => this.#read(line.endsWith('\r') ? line.slice(0, -1) : line) ?? [])
  }

  #read(line: string): StreamEvent | undefined {
    if (line === '') return this.#complete()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    if (field === 'data') this.#data.push(value)
    if (field === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #complete(): StreamEvent | undefined {
    this.lastId = this.#id ?? this.lastId
    const event = { id: this.lastId, event: this.#event || 'message', data: this.#data.join('\n') }
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    this.#id = undefined
    return isEmpty ? undefined : event
  }
}
