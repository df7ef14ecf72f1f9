import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'

/** The program of a service has ended without a request to stop. */
export class ServiceEnded extends Error {}

/** Runs a service of the installed package as its unit file specifies, on a machine without systemd. */
export class InstalledService {
  static readonly #running = new Set<InstalledService>()
  readonly #child: ChildProcess
  #output = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk
      })
    }
  }

  /** `root`: the folder of another system in which the package is installed. */
  static start(name: string, root = '/'): InstalledService {
    const unit = readUnit(join(root, `usr/lib/systemd/system/smsgw-${name}.service`))
    const user = unit('User')
    const folder = `/var/lib/${unit('StateDirectory')}`
    execFileSync('/usr/sbin/chroot', [
      root,
      'install',
      '-d',
      '-o',
      user,
      '-g',
      unit('Group'),
      '-m',
      unit('StateDirectoryMode'),
      folder,
    ])
    const settings = parseEnv(readFileSync(join(root, unit('EnvironmentFile').replace(/^-/, '')), 'utf8'))
    const [variable = '', value = ''] = unit('Environment').split('=')
    const command = unit('ExecStart').split(' ')
    const place = ['env', `--chdir=${unit('WorkingDirectory')}`]
    const account = ['setpriv', `--reuid=${user}`, `--regid=${unit('Group')}`, '--init-groups']
    const child = spawn('/usr/sbin/chroot', [root, ...place, ...account, ...command], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', [variable]: value, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const service = new InstalledService(child)
    InstalledService.#running.add(service)
    return service
  }

  static async stopAll(): Promise<void> {
    for (const service of InstalledService.#running) {
      service.#child.kill('SIGKILL')
      if (service.#child.exitCode === null && service.#child.signalCode === null) await once(service.#child, 'exit')
    }
  }

  user(): string {
    return execFileSync('ps', ['-o', 'user=', '-p', String(this.#child.pid)], { encoding: 'utf8' }).trim()
  }

  /** Throws with the last output if the program has ended. */
  expectRunning(): void {
    if (this.#child.exitCode !== null)
      throw new ServiceEnded(`the service ended; its last output: ${this.#output.slice(-2000)}`)
  }

  async untilAnswers(url: string, limitMs = 120_000): Promise<void> {
    for (const until = performance.now() + limitMs; performance.now() < until; await sleep(100)) {
      this.expectRunning()
      if ((await fetch(url).catch(() => undefined))?.ok) return
    }
    throw new Error(`the service does not answer at ${url}: ${this.#output.slice(-2000)}`)
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    const [code] = this.#child.exitCode === null ? await once(this.#child, 'exit') : [this.#child.exitCode]
    InstalledService.#running.delete(this)
    if (code !== 0) throw new Error(`the service ended with ${code}: ${this.#output.slice(-2000)}`)
  }
}

function readUnit(file: string): (key: string) => string {
  const text = readFileSync(file, 'utf8')
  return (key) => {
    const found = new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1]
    if (found === undefined) throw new Error(`${file} has no ${key}=`)
    return found
  }
}
