import { closeCodes, closeNameOf, type Retry } from '@smsgw/contract/link/close-code'
import type { Pause } from '../connection/timers.ts'

const shortestMs = 500
const longestMs = 60_000
const slowly: Pause = { fromMs: 60_000, toMs: 600_000 }

/** `attempts`: how many connections have failed since the last one that was proven to work both ways. */
export function pauseBefore(attempts: number, retry: Exclude<Retry, 'never'>): Pause {
  if (retry === 'slowly') return slowly
  if (retry === 'now' && attempts === 0) return { fromMs: 0, toMs: 0 }
  return { fromMs: 0, toMs: Math.min(longestMs, shortestMs * 2 ** Math.min(attempts, 16)) }
}

/** Whoever closed, and a socket that broke or never opened. */
export function retryAfter(code: number): Retry {
  const name = closeNameOf(code)
  return name === undefined ? 'soon' : closeCodes[name].retry
}
