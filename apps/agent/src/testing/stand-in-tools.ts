import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs that record their arguments. They are found before the programs of the system. */
export class StandInTools {
  readonly #folder = mkdtempSync(join(tmpdir(), 'smsgw-tools-'))
  readonly #path = process.env['PATH']

  /** Only the stand-ins and the shell are found. */
  constructor() {
    process.env['PATH'] = this.#folder
  }

  /** `script`: the commands that the program runs after it has recorded its arguments. */
  install(name: string, script: string): void {
    const file = join(this.#folder, name)
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$*" >> '${file}.calls'\n${script}\n`)
    chmodSync(file, 0o755)
  }

  calls(name: string): readonly string[] {
    const file = join(this.#folder, `${name}.calls`)
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  }

  remove(): void {
    process.env['PATH'] = this.#path
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
