let request: Promise<Response> | undefined

/** Requests the session before the program has loaded, which needs it first. */
export function requestSession(): Promise<Response> {
  request = fetch('/3rdparty/v1/session', { headers: { accept: 'application/json' } })
  return request
}

/** The answer to the early request, once. Undefined if there was no answer. */
export async function takeEarlySession(): Promise<Response | undefined> {
  const taken = request
  request = undefined
  return taken?.catch(() => undefined)
}
