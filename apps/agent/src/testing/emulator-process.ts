import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Starts the emulator as a separate process, with one modem on a pseudo-terminal and on TCP. */
export class EmulatorProcess {
  readonly folder: string
  /** A link to the pseudo-terminal. Its path stays the same after a restart. */
  readonly pty: string
  /** The address of the modem: `tcp://…`, or `hilink://…` for a HiLink stick. */
  readonly tcp: string
  /** A link to the pseudo-terminal of the second port, if there is one. */
  readonly second: string
  readonly control: string
  readonly #process: ChildProcess

  private constructor(folder: string, child: ChildProcess, addresses: Addresses) {
    const [tcp = '', pty = '', , second = ''] = addresses.modems[0]?.ports ?? []
    this.folder = folder
    this.pty = pty
    this.tcp = tcp
    this.second = second
    this.control = addresses.control
    this.#process = child
  }

  /** Resolves when the modem has booted and is registered. `modem` contains its properties, as in `--modem`. */
  static async start(
    options: readonly string[] = [],
    modem?: Readonly<Record<string, string>>,
  ): Promise<EmulatorProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'smsgw-emulator-'))
    const ports = { tcp: '127.0.0.1:0', pty: join(folder, 'modem0') }
    // A HiLink stick has no serial port.
    const own = modem?.['personality'] === 'huawei-hilink' ? { tcp: ports.tcp } : ports
    const setup = Object.entries({ ...own, ...modem }).map(([name, value]) => `${name}=${value}`)
    const described = modem ? ['--modem', setup.join()] : ['--tcp', ports.tcp, '--pty', ports.pty]
    const common = ['--json', '--control', '127.0.0.1:0', ...described]
    const usual = options.includes('--ledger') ? [] : ['--ledger', 'none']
    const child = spawn(process.execPath, [main, ...common, ...usual, ...options], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    try {
      return new EmulatorProcess(folder, child, JSON.parse(await firstLine(child)) as Addresses)
    } catch (error) {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Calls the control interface. The name of the modem is `modem0`. */
  async instruct(name: string, body: object): Promise<void> {
    const response = await fetch(`${this.control}/do/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
  }

  /** Ends the process without cleaning up, like a power cut. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGTERM')
      await once(this.#process, 'exit')
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

interface Addresses {
  readonly modems: readonly { readonly ports: readonly string[] }[]
  readonly control: string
}

// Apps do not import each other, so the emulator is started by its command line.
const main = process.env['TESTED_EMULATOR'] ?? fileURLToPath(new URL('../../../emulator/src/main.ts', import.meta.url))

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    let errors = ''
    child.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    child.on('exit', (code) => reject(new Error(`the emulator ended with code ${code}: ${errors}`)))
  })
}
