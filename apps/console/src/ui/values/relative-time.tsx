import { useSyncExternalStore } from 'react'
import { fullWords, relativeWords } from './relative-words.ts'

/** A relative time, with the full time as its title. */
export function RelativeTime({ at }: { readonly at: string }) {
  const nowMs = useNow()
  return (
    <time dateTime={at} title={fullWords(at)}>
      {relativeWords(at, nowMs)}
    </time>
  )
}

/** Returns the current time, updated every ten seconds by one clock for all components. */
export function useNow(): number {
  return useSyncExternalStore(onTick, () => nowMs)
}

const tickMs = 10_000
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const watchers = new Set<() => void>()

function onTick(watcher: () => void): () => void {
  watchers.add(watcher)
  timer ??= setInterval(tick, tickMs)
  tick()
  return () => {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  nowMs = Date.now()
  for (const watcher of watchers) watcher()
}
