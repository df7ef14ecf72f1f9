/** Of requests that nobody has answered, by what they asked for. */
const unanswered = new Map<string, string>()

/**
 * Makes a request under a key of its own. One that was not answered may have been carried out all the same: whoever asks
 * for the very same once more asks under the same key, and it is not done twice.
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

/** Also where the page came over plain HTTP, which knows no `randomUUID`. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
