/** Without an answer within this time, the program requests the session again. */
const PATIENCE_MS = 30_000

let request: Promise<Response> | undefined

/** Requests the session before the program has loaded, because the program needs the session first. */
export function requestSession(): Promise<Response> {
  request = fetch('/3rdparty/v1/session', {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  return request
}

/** Returns the answer to the early request, but only to the first caller. Undefined if there was no answer. */
export async function takeEarlySession(): Promise<Response | undefined> {
  const taken = request
  request = undefined
  return taken?.catch(() => undefined)
}
