export interface StreamedEvent {
  readonly id: string
  readonly event: string
  readonly data: Record<string, unknown>
}

export interface ReadStream {
  readonly status: number
  /**
   * Returns the next event of one of the given kinds. If no kinds are given, returns the next event that is not a
   * heartbeat. Returns undefined at the end of the stream.
   */
  next(...kinds: readonly string[]): Promise<StreamedEvent | undefined>
  /** The last `id` that was read; browsers store it too. */
  readonly lastId: () => string
  close(): Promise<void>
}

/** Reads events like a browser, according to the standard. */
export async function readEventStream(url: string, headers: Readonly<Record<string, string>>): Promise<ReadStream> {
  const leaving = new AbortController()
  const response = await fetch(url, { headers, signal: leaving.signal })
  const blocks = blocksOf(response)
  let lastId = ''
  return {
    status: response.status,
    async next(...kinds) {
      for (let turn = await blocks.next(); !turn.done; turn = await blocks.next()) {
        const fields = new Map(turn.value.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
        lastId = fields.get('id') ?? lastId
        const [event, data] = [fields.get('event'), fields.get('data')]
        if (event === undefined || data === undefined) continue
        if (kinds.length > 0 ? !kinds.includes(event) : event === 'heartbeat') continue
        return { id: lastId, event, data: JSON.parse(data) }
      }
      return undefined
    },
    lastId: () => lastId,
    async close() {
      leaving.abort()
      await blocks.return(undefined)
    },
  }
}

async function* blocksOf(response: Response): AsyncGenerator<string, undefined> {
  let text = ''
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        yield text.slice(0, end)
        text = text.slice(end + 2)
      }
    }
  } catch {
    // Ends the iteration, because the client or the server disconnected.
  }
  return undefined
}
