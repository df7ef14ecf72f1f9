import type { LiveEventKind } from '@smsgw/contract/live-event'

/** `reset`: events may be missing, so everything is loaded again. */
export type LiveKind = LiveEventKind | 'reset'

const liveKinds: readonly LiveKind[] = [
  'message.created',
  'message.changed',
  'inbox.received',
  'device.changed',
  'device.telemetry',
  'device.waiting',
  'webhook.attempted',
  'webhook.changed',
  'log.added',
  'settings.changed',
  'reset',
]

export type LiveState = 'connecting' | 'live' | 'away'

type Listener = (kind: LiveKind, data: unknown) => void

const firstRetryMs = 1_000
const longestRetryMs = 30_000

/**
 * One stream for the whole page. connecting → live → away → connecting …: the browser resumes an interrupted stream.
 * A refused stream (the gateway restarts) is opened again from the last event, after increasing pauses.
 */
export class LiveFeed {
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Set<() => void>()
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #retryMs = firstRetryMs
  #lastEventId = ''
  #state: LiveState = 'connecting'

  get state(): LiveState {
    return this.#state
  }

  open(): void {
    const from = this.#lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastEventId)}`
    const source = new EventSource(`/3rdparty/v1/events${from}`)
    this.#source = source
    source.onopen = () => {
      this.#retryMs = firstRetryMs
      this.#become('live')
    }
    source.onerror = () => {
      this.#become('away')
      if (source.readyState === EventSource.CLOSED) this.#openLater()
    }
    for (const kind of liveKinds) source.addEventListener(kind, (event) => this.#tell(kind, event))
  }

  close(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = undefined
  }

  onEvent(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onState(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #tell(kind: LiveKind, { data, lastEventId }: MessageEvent<string>): void {
    if (lastEventId !== '') this.#lastEventId = lastEventId
    for (const listener of this.#listeners) listener(kind, JSON.parse(data))
  }

  #openLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.open(), this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs)
  }

  #become(state: LiveState): void {
    if (state === this.#state) return
    this.#state = state
    for (const watcher of this.#watchers) watcher()
  }
}
