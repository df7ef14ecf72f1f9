const LEAST_DIFFERENT = 8
const SAMPLE = /change.?me|example|password|default|placeholder|your.?secret|insecure|0123456789abcdef|abcdefgh/i

/** Returns why a long enough secret is still weak, as the end of a sentence; undefined when it is not. */
export function secretWeakness(secret: string): string | undefined {
  if (SAMPLE.test(secret)) return 'is a sample from the documentation'
  if (new Set(secret).size < LEAST_DIFFERENT) return 'can be guessed: it repeats a few characters'
  const halves = /^(.+?)\1+$/.exec(secret)
  if (halves) return 'can be guessed: it repeats itself'
  return undefined
}
