import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mainScripts } from './house/machine/main-scripts.ts'
import { ROOT } from './house/machine/process.ts'
import { patienceMs } from './house/patience.ts'

/**
 * Up to this time, programs are stopped at closely spaced moments of their start. Later moments are further apart,
 * because a start takes more time only on a busy machine.
 */
const FINE_UNTIL_MS = 2_000
/**
 * The latest moment at which a start is stopped on a very busy machine. Another stop is at the moment when the program
 * is ready.
 */
const LAST_MOMENT_MS = 15_000

interface StartedApp {
  readonly app: 'agent' | 'bridge' | 'emulator' | 'gateway' | 'relay'
  readonly args: readonly string[]
  /** The output of a program that has finished its start. */
  readonly ready: RegExp
  readonly settings: (folder: string) => Readonly<Record<string, string>>
}

const apps: readonly StartedApp[] = [
  {
    app: 'gateway',
    args: [],
    ready: /Ctrl-C/,
    settings: (folder) => ({ DATA_DIR: folder, PORT: '0', MODEMS: 'virtual' }),
  },
  {
    app: 'relay',
    args: [],
    ready: /relay listening/,
    settings: (folder) => ({
      DATA_DIR: folder,
      PORT: '0',
      SERVER_SECRET: 'a secret of this test that is long enough',
      ADMIN_USERNAME: 'sms',
      ADMIN_PASSWORD: 'a-password-of-this-test',
    }),
  },
  {
    app: 'agent',
    args: ['run'],
    // The agent counts as ready when it tries to reach the relay, which does not exist.
    ready: /disconnected from the relay/,
    settings: (folder) => ({
      DATA_DIR: folder,
      MODEMS: 'tcp://127.0.0.1:9',
      RELAY_URL: 'ws://127.0.0.1:9',
      ENROLMENT_TOKEN: 'token-of-this-test-that-is-long-enough',
      ALLOW_INSECURE_HTTP: '1',
    }),
  },
  {
    app: 'bridge',
    args: ['run'],
    // The bridge counts as ready when it tries to reach the broker, which does not exist.
    ready: /MQTT broker unavailable/,
    settings: (folder) => ({
      DATA_DIR: folder,
      SMSGW_URL: 'http://127.0.0.1:9',
      SMSGW_API_KEY: 'a-key-of-this-test',
      MQTT_URL: 'mqtt://127.0.0.1:9',
    }),
  },
  {
    app: 'emulator',
    args: ['--control', '127.0.0.1:0', '--tcp', '127.0.0.1:0', '--ledger', 'none'],
    ready: /tcp:\/\//,
    settings: () => ({}),
  },
]

let room: string

beforeAll(() => {
  room = mkdtempSync(join(tmpdir(), 'smsgw-stop-'))
})

afterAll(() => rmSync(room, { recursive: true, force: true }))

// Runs the cases at the same time, because the programs mostly wait.
describe.concurrent.each(apps)('a stop of the $app during its start', ({ app, args, ready, settings }) => {
  test.concurrent.each([
    ['a checkout', 'SIGTERM', 50, join(ROOT, `apps/${app}/src/main.ts`)],
    ['a bundle', 'SIGINT', 100, mainScripts[app]],
  ] as const)(
    'a stop at any moment is clean, and the next start works, from %s with %s',
    async (from, signal, stepMs, main) => {
      const folder = join(room, `${app}-${from.replace(' ', '-')}`)
      mkdirSync(folder)
      let moments = 0
      for (let delayMs = stepMs; ; delayMs += delayMs < FINE_UNTIL_MS ? stepMs : delayMs / 4) {
        const run = new Run(main, args, settings(folder), folder)
        await Promise.race([delayMs < LAST_MOMENT_MS ? sleep(delayMs) : isReady(run, ready), run.ended])
        const wasReady = ready.test(run.output)
        run.signal(signal)
        await run.ended
        const when = `${signal} after ${delayMs} ms; output: ${run.output}`
        // While Node.js is loading the program, the signal ends Node.js itself, and the program has not done anything
        // yet.
        expect([0, signal], when).toContain(run.result)
        expect(run.errors, when).toBe('')
        for (const until = performance.now() + 30_000; processesIn(folder).length > 0 && performance.now() < until; )
          await sleep(50)
        expect(processesIn(folder), when).toEqual([])
        moments += 1
        if (wasReady) break
        expect(delayMs, `${app} was never ready: ${run.output}`).toBeLessThan(LAST_MOMENT_MS)
      }
      expect(moments).toBeGreaterThan(1)
    },
    1_200_000,
  )
})

/** A program in its own process group, because Ctrl-C in a terminal sends the signal to the whole group. */
class Run {
  readonly ended: Promise<unknown>
  output = ''
  errors = ''
  readonly #child: ChildProcess

  constructor(main: string, args: readonly string[], settings: Readonly<Record<string, string>>, folder: string) {
    this.#child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      detached: true,
      env: {
        ...{ PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8', SMSGW_TEST_FOLDER: folder, ...settings },
        // This setting halves the CPU time of a start from sources.
        NODE_COMPILE_CACHE: join(ROOT, '.cache/compile'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', (chunk) => {
      this.output += chunk
    })
    this.#child.stderr?.on('data', (chunk) => {
      this.errors += chunk
    })
    this.ended = once(this.#child, 'close')
  }

  get result(): number | string | null {
    return this.#child.exitCode ?? this.#child.signalCode
  }

  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined || this.result !== null) return
    process.kill(signal === 'SIGINT' ? -pid : pid, signal)
  }
}

/** Returns the command lines of other processes that contain the path of the folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
    .filter((command) => command.includes(folder))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function isReady(run: Run, ready: RegExp): Promise<void> {
  for (const until = performance.now() + patienceMs; !ready.test(run.output) && performance.now() < until; )
    await sleep(50)
}
