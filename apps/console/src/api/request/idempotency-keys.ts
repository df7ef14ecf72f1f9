/** The idempotency keys of requests that were not answered, by the body of the request. */
const unanswered = new Map<string, string>()

/**
 * Sends a request with an idempotency key. A request without an answer may have been carried out. So an equal request
 * gets the same key, and is not carried out a second time.
 */
export async function underOneKey<T>(
  body: object,
  make: (key: string) => Promise<T>,
  isAnswer: (error: unknown) => boolean,
): Promise<T> {
  const asked = JSON.stringify(body)
  const key = unanswered.get(asked) ?? newKey()
  unanswered.set(asked, key)
  try {
    const answer = await make(key)
    unanswered.delete(asked)
    return answer
  } catch (error) {
    if (isAnswer(error)) unanswered.delete(asked)
    throw error
  }
}

/** Creates a key. `randomUUID` does not exist on pages over plain HTTP. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
