import { useEffect } from 'react'
import { ApiFailure, get } from './ask.ts'

const pauseMs = 3_000

/**
 * Removes the error of a request that got no answer as soon as the gateway answers again. Otherwise, the page would say
 * that the gateway does not respond until the next action.
 * @param reset must stay the same from one render to the next
 */
export function useEndOfSilence({ error, reset }: { readonly error: Error | null; readonly reset: () => void }): void {
  useEffect(() => (error !== null && isSilence(error) ? whenAnswered(reset) : undefined), [error, reset])
}

/**
 * True if the gateway did not answer, or if a proxy answered in its place. An answer of the gateway contains a message,
 * even if its database is unavailable.
 */
export function isSilence(error: Error): boolean {
  if (!(error instanceof ApiFailure)) return false
  return error.status === 0 || ([502, 503, 504].includes(error.status) && error.problem?.message === undefined)
}

/** Asks the gateway until it answers, then calls `act`. Returns the function that stops this. */
export function whenAnswered(act: () => void): () => void {
  const asking = new AbortController()
  let timer: ReturnType<typeof setTimeout>
  const askLater = () => {
    timer = setTimeout(
      () => get('/health/live', AbortSignal.any([asking.signal, AbortSignal.timeout(pauseMs)])).then(act, afterError),
      pauseMs,
    )
  }
  const afterError = (error: Error) => {
    if (asking.signal.aborted) return
    if (isSilence(error)) askLater()
    else act()
  }
  askLater()
  return () => {
    clearTimeout(timer)
    asking.abort()
  }
}
