import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { patienceMs } from './patience.ts'

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** One of our programs as a process of its own, with nothing from our environment but what it is given. */
export class HouseProcess {
  readonly name: string
  readonly lines: string[] = []
  readonly #child: ChildProcess
  #complaints = ''
  #isOver = false
  readonly #watchers = new Set<() => void>()

  /**
   * `main`: a file of the repository, or with `folder` a program, such as `npm`, and the folder that it is called in. With
   * `logFile` everything it says goes there, and `lines` stays empty.
   */
  constructor(
    name: string,
    main: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    { folder, logFile }: { readonly folder?: string; readonly logFile?: string } = {},
  ) {
    this.name = name
    const [file, ours] = folder === undefined ? [process.execPath, [`${ROOT}${main}`]] : [main, []]
    const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
    this.#child = spawn(file, [...ours, ...args], {
      cwd: folder ?? ROOT,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LANG: 'C.UTF-8', ...settings },
      stdio: ['ignore', output, output],
    })
    if (output !== 'pipe') closeSync(output)
    this.#child.stderr?.on('data', (chunk) => {
      this.#complaints += chunk
    })
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.lines.push(line)
        this.#tell()
      })
    }
    this.#child.once('close', () => {
      this.#isOver = true
      this.#tell()
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get complaints(): string {
    return this.#complaints
  }

  /** The first line, said or to be said, for which `find` finds something. */
  async said<T>(find: (line: string) => T | undefined, limitMs = patienceMs): Promise<T> {
    const until = performance.now() + limitMs
    let seen = 0
    for (;;) {
      for (; seen < this.lines.length; seen += 1) {
        const found = find(this.lines[seen] ?? '')
        if (found !== undefined) return found
      }
      if (this.#isOver) throw new Error(`${this.name} ended: ${this.#complaints || this.lines.slice(-5).join('\n')}`)
      if (performance.now() > until) throw new Error(`${this.name} did not say it: ${this.lines.slice(-8).join('\n')}`)
      await this.#next(until)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.ended()
  }

  /** Its code, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    if (!this.#isOver) await once(this.#child, 'close')
    return this.#child.exitCode ?? this.#child.signalCode
  }

  /** By SIGTERM, as a service manager does; one that doesn't end by it is killed, and that is told. */
  async stop(): Promise<void> {
    if (this.#isOver) return
    this.signal('SIGTERM')
    let isForced = false
    const timer = setTimeout(() => {
      isForced = true
      this.signal('SIGKILL')
    }, longestStopMs)
    await this.ended()
    clearTimeout(timer)
    if (isForced) throw new Error(`${this.name} did not end by SIGTERM: ${this.lines.slice(-8).join('\n')}`)
  }

  #next(until: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(1, until - performance.now()))
      this.#watchers.add(done)
      function done() {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #tell(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher()
  }
}

/** What the most patient unit and container of ours are given. */
const longestStopMs = 60_000

/** JSON lines of a log: what was said, in its words. */
export function logged(words: string): (line: string) => Record<string, unknown> | undefined {
  return (line) => {
    if (!line.startsWith('{')) return undefined
    const entry = JSON.parse(line) as Record<string, unknown>
    return String(entry['msg']).includes(words) ? entry : undefined
  }
}
