import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mainScripts } from './house/machine/main-scripts.ts'
import { ROOT } from './house/machine/process.ts'
import { patienceMs } from './house/patience.ts'

type Program = 'agent' | 'bridge' | 'emulator' | 'gateway' | 'relay'

/** An event of a start that is visible from outside. The start is stopped when the event is seen. */
interface Milestone {
  readonly name: string
  readonly isReached: (run: Run) => boolean
  /** True if the program may not handle signals yet, so that the signal ends Node.js itself. */
  readonly isEarly?: boolean
  /** True if only a start without a database reaches the milestone. */
  readonly createsDatabase?: boolean
  /** True if a fast start may end before the milestone. */
  readonly mayBeMissed?: boolean
}

interface StartedApp {
  readonly app: Program
  readonly args: readonly string[]
  readonly settings: (folder: string) => Readonly<Record<string, string>>
  /** In the order of a start. The last one is its end. */
  readonly milestones: readonly Milestone[]
}

const printed = (words: string): Milestone => ({
  name: `"${words}"`,
  isReached: ({ output }) => output.includes(words),
})

/** This start has created or changed the file or folder. */
const wrote = (file: string): Milestone => ({
  name: file,
  isReached: ({ folder, startedMs }) => changedMs(join(folder, file)) > startedMs,
})

const after = (ms: number, { name, isReached }: Pick<Milestone, 'name' | 'isReached'>): Milestone => {
  const reachedMs = new WeakMap<Run, number>()
  return {
    name: `${ms} ms after ${name}`,
    mayBeMissed: true,
    isReached(run) {
      if (!reachedMs.has(run) && isReached(run)) reachedMs.set(run, performance.now())
      return performance.now() - (reachedMs.get(run) ?? Number.POSITIVE_INFINITY) >= ms
    },
  }
}

const databaseReady: Milestone = {
  name: 'database ready',
  isReached: ({ folder, startedMs }) => {
    const file = join(folder, 'database/postmaster.pid')
    return changedMs(file) > startedMs && /^ready/m.test(read(file))
  },
}

/** From `initdb` until all tables exist. */
const database: readonly Milestone[] = [
  { ...wrote('database.unfinished'), createsDatabase: true },
  // The last step of `initdb`, which may take less time than passes between two looks on a busy machine.
  { ...wrote('database.unfinished/base/5'), createsDatabase: true, mayBeMissed: true },
  wrote('database/postmaster.pid'),
  databaseReady,
  after(200, databaseReady),
  printed('"migrations":'),
]

const apps: readonly StartedApp[] = [
  {
    app: 'gateway',
    args: [],
    settings: (folder) => ({ DATA_DIR: folder, PORT: '0', MODEMS: 'virtual' }),
    milestones: [
      { ...printed('is starting'), isEarly: true },
      printed('searching for modems'),
      ...database,
      wrote('journal.db-wal'),
      printed('starting a virtual modem'),
      printed('modem virtual: reading the SIM'),
      printed('Ctrl-C'),
    ],
  },
  {
    app: 'relay',
    args: [],
    settings: (folder) => ({
      DATA_DIR: folder,
      PORT: '0',
      SERVER_SECRET: 'a secret of this test that is long enough',
      ADMIN_USERNAME: 'sms',
      ADMIN_PASSWORD: 'a-password-of-this-test',
    }),
    milestones: [wrote('owner'), ...database, after(300, databaseReady), printed('relay listening')],
  },
  {
    app: 'agent',
    args: ['run'],
    settings: (folder) => ({
      DATA_DIR: folder,
      MODEMS: 'tcp://127.0.0.1:9',
      RELAY_URL: 'ws://127.0.0.1:9',
      ENROLMENT_TOKEN: 'token-of-this-test-that-is-long-enough',
      ALLOW_INSECURE_HTTP: '1',
    }),
    milestones: [
      wrote('owner'),
      wrote('journal.db-wal'),
      printed('disk sync takes'),
      wrote('agent.sock'),
      // The agent is ready when it tries to reach the relay, which does not exist.
      printed('disconnected from the relay'),
    ],
  },
  {
    app: 'bridge',
    args: ['run'],
    settings: (folder) => ({
      DATA_DIR: folder,
      SMSGW_URL: 'http://127.0.0.1:9',
      SMSGW_API_KEY: 'a-key-of-this-test',
      MQTT_URL: 'mqtt://127.0.0.1:9',
    }),
    // The bridge is ready when it tries to reach the broker, which does not exist.
    milestones: [wrote('owner'), wrote('bridge.db-wal'), printed('MQTT broker unavailable')],
  },
  {
    app: 'emulator',
    args: ['--control', '127.0.0.1:0', '--tcp', '127.0.0.1:0', '--ledger', 'none'],
    settings: () => ({}),
    milestones: [printed('tcp://')],
  },
]

const nodeStarted = { name: 'the start of Node.js', isReached: () => true }
/** Node.js is loading the program. */
const loading: readonly Milestone[] = [50, 150].map((ms) => ({ ...after(ms, nodeStarted), isEarly: true }))

let room: string

beforeAll(() => {
  room = mkdtempSync(join(tmpdir(), 'smsgw-stop-'))
})

afterAll(() => rmSync(room, { recursive: true, force: true }))

// Runs the cases at the same time, because the programs mostly wait.
describe.concurrent.each(apps)('a stop of the $app during its start', ({ app, args, settings, milestones }) => {
  test.concurrent.each([
    ['each milestone', 'a bundle', 'SIGTERM', 1, mainScripts[app]],
    // A start from sources takes twice the CPU time.
    ['every other milestone', 'a checkout', 'SIGINT', 2, join(ROOT, `apps/${app}/src/main.ts`)],
  ] as const)('is clean at %s, and the next start works, from %s with %s', async (_, from, signal, step, main) => {
    const folder = join(room, `${app}-${from.replace(' ', '-')}`)
    const ready = milestones.at(-1)
    // Always includes the end of the start.
    const chosen = milestones.filter((_, at) => (milestones.length - 1 - at) % step === 0)
    const missed = new Set(chosen.filter(({ mayBeMissed = false }) => !mayBeMissed))
    for (const milestone of [...loading, ...chosen]) {
      if (milestone.createsDatabase && existsSync(join(folder, 'database'))) rmSync(folder, { recursive: true })
      mkdirSync(folder, { recursive: true })
      const run = new Run(main, args, settings(folder), folder)
      // The start does not reach a milestone that the previous start has passed before it was stopped.
      const isReached = () => milestone.isReached(run) || ready?.isReached(run) === true
      await until(() => isReached() || run.result !== null)
      const wasReached = isReached()
      const noteReached = () => {
        for (const one of missed) if (one.isReached(run)) missed.delete(one)
      }
      noteReached()
      run.signal(signal)
      await run.ended
      noteReached()
      const when = `${signal} at ${milestone.name}; output: ${run.output}`
      expect(wasReached, when).toBe(true)
      expect(milestone.isEarly ? [0, signal] : [0], when).toContain(run.result)
      expect(run.errors, when).toBe('')
      await until(() => processesIn(folder).length === 0)
      expect(processesIn(folder), when).toEqual([])
    }
    // A stop at a milestone that no start reaches would only be another stop at the end of the start.
    expect([...missed].map(({ name }) => name)).toEqual([])
  })
})

/** A program in its own process group, because Ctrl-C in a terminal sends the signal to the whole group. */
class Run {
  readonly folder: string
  readonly startedMs = Date.now()
  readonly ended: Promise<unknown>
  output = ''
  errors = ''
  readonly #child: ChildProcess

  constructor(main: string, args: readonly string[], settings: Readonly<Record<string, string>>, folder: string) {
    this.folder = folder
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

function changedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0
}

/** Looks often, because some milestones are only milliseconds before the next one. */
async function until(isTrue: () => boolean): Promise<void> {
  for (const endMs = performance.now() + patienceMs; !isTrue() && performance.now() < endMs; ) await sleep(5)
}
