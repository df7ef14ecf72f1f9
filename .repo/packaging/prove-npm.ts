import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { architectureOf } from './app-bundle.ts'
import { buildNpm } from './build-npm.ts'
import { ProofSteps } from './proof-steps.ts'

/** The maximum size of the installed programs. */
const LARGEST_MB = 250

/**
 * Installs the npm packages of the programs without a registry, into an empty folder and with an empty home folder, and
 * uses them.
 */
export async function proveNpm(options: { readonly version: string; readonly built: string }): Promise<ProofSteps> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-prove-npm-'))
  const proof = new ProofSteps('the npm package')
  const installed = new Installation(folder)
  try {
    const packages = await proof.step('is built', () =>
      buildNpm({ ...options, architectures: [architectureOf(process.arch)], into: folder, compression: 1 }),
    )
    await proof.step(`takes less than ${LARGEST_MB} MB`, () => {
      installed.npm('install', '--global', '--offline', ...(packages ?? []))
      const megabytes = bytesOnDisk(installed.prefix) / 1e6
      process.stdout.write(`      ${Math.round(megabytes)} MB\n`)
      if (megabytes >= LARGEST_MB) throw new Error(`the installation takes ${megabytes} MB`)
    })
    await proof.step('prints its version, and suggests the most similar command for a mistyped one', () => {
      expectSame('the version', installed.smsgw('--version').output, `${options.version}\n`)
      const mistyped = installed.smsgw('gatewya')
      expectSame('the exit code of a mistyped command', mistyped.code, 2)
      expectSame(
        'for a mistyped command, smsgw suggests the most similar command',
        mistyped.problem.includes('did you mean gateway?'),
        true,
      )
    })
    await proof.step('starts the gateway, which sends a message', async () => {
      await installed.startGateway()
      await installed.delivers()
      const status = installed.smsgw('gateway', 'status')
      expectSame(`the status has a SIM: ${status.output}${status.problem}`, status.output.includes('SIM 1'), true)
    })
    await proof.step('starts the emulator on a pseudo-terminal', () => installed.emulates())
    await proof.step('stops the gateway with exit code 0', () => installed.stopGateway())
    await proof.step('keeps the data when it is uninstalled', () => {
      installed.npm('uninstall', '--global', 'smsgw', `@smsgw/linux-${architectureOf(process.arch)}`)
      expectSame('the command is there', spawnSync(installed.command).error === undefined, false)
      expectSame('the password is there', installed.password() === '', false)
    })
    return proof
  } finally {
    await installed.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Installation {
  readonly prefix: string
  readonly #home: string
  #gateway: ChildProcess | undefined
  #api = ''

  constructor(folder: string) {
    this.prefix = join(folder, 'prefix')
    this.#home = join(folder, 'home')
    for (const each of [this.prefix, this.#home]) mkdirSync(each)
  }

  get command(): string {
    return join(this.prefix, 'bin/smsgw')
  }

  npm(...args: string[]): void {
    execFileSync('npm', [...args, '--prefix', this.prefix], {
      cwd: this.#home,
      env: this.#environment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  smsgw(...args: string[]): { readonly code: number | null; readonly output: string; readonly problem: string } {
    const { status, stdout, stderr, error } = spawnSync(this.command, args, {
      encoding: 'utf8',
      cwd: this.#home,
      env: this.#environment(),
    })
    if (error !== undefined) throw error
    return { code: status, output: stdout, problem: stderr }
  }

  async startGateway(): Promise<void> {
    const port = await freePort()
    this.#api = `http://127.0.0.1:${port}`
    const gateway = spawn(this.command, ['gateway', '--port', String(port), '--modems', 'virtual'], {
      cwd: this.#home,
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#gateway = gateway
    let output = ''
    gateway.stdout.on('data', (chunk) => {
      output += chunk
    })
    for (const until = performance.now() + 120_000; ; await sleep(100)) {
      if ((await fetch(`${this.#api}/health/ready`).catch(() => undefined))?.ok) return
      if (gateway.exitCode !== null || performance.now() > until) throw new Error(`the gateway is not ready: ${output}`)
    }
  }

  async delivers(): Promise<void> {
    const body = { phoneNumbers: ['+447400123456'], textMessage: { text: 'From an npm package' } }
    const { id } = await this.#ask('messages', { method: 'POST', body: JSON.stringify(body) })
    for (const until = performance.now() + 60_000; ; await sleep(200)) {
      const { state } = await this.#ask(`messages/${id}`)
      if (state === 'Delivered') return
      if (performance.now() > until) throw new Error(`the message is ${state}`)
    }
  }

  emulates(): void {
    const pty = join(this.#home, 'modem0')
    const emulator = '"$1" emulator --control none --ledger none --pty "$2" >emulator.log & '
    const check =
      'for second in $(seq 60); do test -L "$2" && break; sleep 1; done; test -c "$(readlink -f "$2")"; kill $!; wait $!'
    execFileSync('sh', ['-ec', `${emulator}${check}`, 'sh', this.command, pty], {
      cwd: this.#home,
      env: this.#environment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  async stopGateway(): Promise<void> {
    const gateway = this.#gateway
    if (gateway === undefined) return
    gateway.kill('SIGTERM')
    if (gateway.exitCode === null && gateway.signalCode === null) await once(gateway, 'exit')
    this.#gateway = undefined
    expectSame('the exit code', gateway.exitCode, 0)
  }

  async close(): Promise<void> {
    this.#gateway?.kill('SIGKILL')
  }

  password(): string {
    const file = join(this.#home, '.local/share/smsgw/gateway/credentials.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { password: string }).password
  }

  async #ask(path: string, request: RequestInit = {}): Promise<{ readonly id: string; readonly state: string }> {
    const authorization = `Basic ${Buffer.from(`sms:${this.password()}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${this.#api}/3rdparty/v1/${path}`, { ...request, headers })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string; state: string }
  }

  /** The environment of a person who has only npm. PATH does not contain the Node of the repository. */
  #environment(): Record<string, string | undefined> {
    const path = (process.env['PATH'] ?? '').split(':').filter((place) => !place.includes('node_modules'))
    return { PATH: path.join(':'), HOME: this.#home, LANG: 'C.UTF-8' }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function bytesOnDisk(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => lstatSync(join(folder, name)))
  return files.reduce((sum, { blocks }) => sum + blocks * 512, 0)
}

function expectSame<T>(what: string, found: T, expected: T): void {
  if (found !== expected) throw new Error(`${what}: ${expected} expected, ${found} found`)
}
