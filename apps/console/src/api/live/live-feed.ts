import type { LiveEventKind, LiveHeartbeat } from '@smsgw/contract/live/live-event'

/** `reset`: events may be missing, so everything is loaded again. */
export type LiveKind = LiveEventKind | 'reset'

/**
 * A table of all kinds, so that the compiler reports a missing kind. The browser drops events that have no listener.
 */
const liveKinds = Object.keys({
  'message.created': true,
  'message.changed': true,
  'inbox.received': true,
  'conversation.changed': true,
  'labels.changed': true,
  'device.changed': true,
  'device.telemetry': true,
  'device.waiting': true,
  'webhook.attempted': true,
  'webhook.changed': true,
  'log.added': true,
  'settings.changed': true,
  reset: true,
} satisfies Readonly<Record<LiveKind, true>>) as LiveKind[]

export type LiveState = 'connecting' | 'live' | 'away'

type Listener = (kind: LiveKind, data: unknown) => void

/**
 * A stream that does not start within this time is opened again, because the relay may have stopped without closing it.
 */
const startLimitMs = 15_000
/**
 * A stream without a heartbeat within this time is opened again, because the relay may hang. This happens regularly
 * with an older relay, which sends no heartbeats.
 */
const firstHeartbeatMs = 40_000
/** A heartbeat may be this much late, for example on a slow network. */
const lateMs = 5_000
const firstRetryMs = 1_000
const longestRetryMs = 30_000

/**
 * One stream for the whole page. States: connecting → live → away → connecting. The browser resumes an interrupted
 * stream. A refused stream (the gateway restarts) is opened again from the last event, after increasing pauses. A
 * stream that misses two heartbeats is closed and opened again, because a relay that hangs keeps its connections open.
 */
export class LiveFeed {
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Set<() => void>()
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #retryMs = firstRetryMs
  #watchdog: ReturnType<typeof setTimeout> | undefined
  /** The longest time without an event. Each heartbeat contains the interval of the heartbeats. */
  #longestSilenceMs = firstHeartbeatMs
  #lastEventId = ''
  #state: LiveState = 'connecting'

  get state(): LiveState {
    return this.#state
  }

  open(): void {
    const from = this.#lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastEventId)}`
    const source = new EventSource(`/3rdparty/v1/events${from}`)
    this.#source = source
    this.#longestSilenceMs = firstHeartbeatMs
    this.#expectWithin(startLimitMs)
    source.onopen = () => {
      this.#retryMs = firstRetryMs
      this.#heard()
      this.#become('live')
    }
    source.onerror = () => {
      this.#become('away')
      this.#longestSilenceMs = firstHeartbeatMs
      if (source.readyState === EventSource.CLOSED) this.#openLater()
      else this.#expectWithin(startLimitMs)
    }
    source.addEventListener('heartbeat', ({ data, lastEventId }: MessageEvent<string>) => {
      if (lastEventId !== '') this.#lastEventId = lastEventId
      const { intervalSeconds } = JSON.parse(data) as LiveHeartbeat
      this.#longestSilenceMs = intervalSeconds * 2_000 + lateMs
      this.#heard()
    })
    for (const kind of liveKinds) source.addEventListener(kind, (event) => this.#tell(kind, event))
  }

  close(): void {
    clearTimeout(this.#retry)
    clearTimeout(this.#watchdog)
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
    this.#heard()
    if (lastEventId !== '') this.#lastEventId = lastEventId
    for (const listener of this.#listeners) listener(kind, JSON.parse(data))
  }

  #heard(): void {
    this.#expectWithin(this.#longestSilenceMs)
  }

  #expectWithin(limitMs: number): void {
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => {
      this.#source?.close()
      this.#become('away')
      this.#openLater()
    }, limitMs)
  }

  #openLater(): void {
    clearTimeout(this.#watchdog)
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
