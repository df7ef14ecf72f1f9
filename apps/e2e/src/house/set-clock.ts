import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of the package `faketime`: the one for programs with threads. */
const library = readdirSync('/usr/lib')
  .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
  .find((path) => existsSync(path))

/** Why clocks cannot be set here; undefined when they can. */
export const whyNoSetClock =
  library === undefined ? 'libfaketime is not installed: sudo apt-get install faketime' : undefined

/** The system clock of one program, which is set while it runs. Its monotonic clock is the machine's. */
export class SetClock {
  readonly #path: string

  /** `folder`: where the program may read. */
  constructor(folder: string, name: string) {
    this.#path = join(folder, `${name}.clock`)
    this.set(0)
  }

  /** The program's environment. */
  get settings(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#path,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** How far it is from now on ahead of this machine's clock; behind it when negative. Within a second. */
  set(aheadSeconds: number): void {
    // The program never reads half a file.
    const whole = `${this.#path}.new`
    writeFileSync(whole, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`, { mode: 0o644 })
    renameSync(whole, this.#path)
  }
}
