import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { patienceMs } from '../patience.ts'

export const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
/** Test runs set the compile cache, which shortens the start of programs. */
export const inherited = { PATH, HOME, NODE_COMPILE_CACHE }

/** The running processes. They are killed when this process exits, so that none is left after an early exit. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Runs a program as a separate process with only the given environment. */
export class HouseProcess {
  readonly name: string
  readonly lines: string[] = []
  readonly #child: ChildProcess
  #complaints = ''
  #isOver = false
  readonly #watchers = new Set<() => void>()

  /**
   * @param main a file of the repository, the absolute path of a file of another release, or, if `folder` is set, a
   * program such as `npm` that runs in that folder.
   * @param logFile if set, the output goes to that file, and `lines` stays empty.
   */
  constructor(
    name: string,
    main: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    { folder, logFile }: { readonly folder?: string; readonly logFile?: string } = {},
  ) {
    this.name = name
    const [file, ours] = folder === undefined ? [process.execPath, [resolve(ROOT, main)]] : [main, []]
    const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
    this.#child = spawn(file, [...ours, ...args], {
      cwd: folder ?? ROOT,
      env: { ...inherited, LANG: 'C.UTF-8', ...settings },
      stdio: ['ignore', output, output],
    })
    if (output !== 'pipe') closeSync(output)
    this.#child.stderr?.on('data', (chunk) => {
      this.#complaints += chunk
    })
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.lines.push(line)
        this.#notify()
      })
    }
    running.add(this.#child)
    this.#child.once('close', () => {
      running.delete(this.#child)
      this.#isOver = true
      this.#notify()
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

  /** Waits for the first line for which `find` returns a value. The line may already have been printed. */
  async said<T>(find: (line: string) => T | undefined, limitMs = patienceMs): Promise<T> {
    const until = performance.now() + limitMs
    let seen = 0
    for (;;) {
      for (; seen < this.lines.length; seen += 1) {
        const found = find(this.lines[seen] ?? '')
        if (found !== undefined) return found
      }
      if (this.#isOver) throw new Error(`${this.name} ended: ${this.#complaints || this.lines.slice(-5).join('\n')}`)
      if (performance.now() > until)
        throw new Error(`${this.name} did not print the expected line: ${this.lines.slice(-8).join('\n')}`)
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

  /** The exit code of the process, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    if (!this.#isOver) await once(this.#child, 'close')
    return this.#child.exitCode ?? this.#child.signalCode
  }

  /** Sends SIGTERM like a service manager. Kills a process that does not end, and throws. */
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
    if (isForced) throw new Error(`${this.name} did not stop after SIGTERM: ${this.lines.slice(-8).join('\n')}`)
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

  #notify(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher()
  }
}

/** The longest stop timeout of the units and containers. */
const longestStopMs = 60_000

/** Returns the messages of a log in JSON lines. */
export function logged(words: string): (line: string) => Record<string, unknown> | undefined {
  return (line) => {
    if (!line.startsWith('{')) return undefined
    const entry = JSON.parse(line) as Record<string, unknown>
    return String(entry['msg']).includes(words) ? entry : undefined
  }
}
