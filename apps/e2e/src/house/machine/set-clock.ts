import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The library of the package `faketime`, in the variant for programs with threads. */
const library = readdirSync('/usr/lib')
  .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
  .find((path) => existsSync(path))

/** Why clocks cannot be set on this machine; undefined if they can be set. */
export const whyNoSetClock =
  library === undefined ? 'libfaketime is not installed: sudo apt-get install faketime' : undefined

/** Sets the system clock of one program while it runs; its monotonic clock is not changed. */
export class SetClock {
  readonly #path: string

  /** @param folder a folder that the program can read */
  constructor(folder: string, name: string) {
    this.#path = join(folder, `${name}.clock`)
    this.set(0)
  }

  /** Environment variables for the program. */
  get settings(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#path,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    }
  }

  /**
   * Sets how far the clock is ahead of this machine's clock; a negative value sets it behind. Takes effect within a
   * second.
   */
  set(aheadSeconds: number): void {
    // Renames a complete file, so that the program never reads a partial file.
    const whole = `${this.#path}.new`
    writeFileSync(whole, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`, { mode: 0o644 })
    renameSync(whole, this.#path)
  }
}
