/** The same words are said once, until it is over or they change. */
export class Trouble {
  words: string | undefined
  readonly #say: (words: string) => void

  constructor(say: (words: string) => void) {
    this.#say = say
  }

  happened(words: string): void {
    if (words === this.words) return
    this.words = words
    this.#say(words)
  }

  over(): void {
    this.words = undefined
  }
}
