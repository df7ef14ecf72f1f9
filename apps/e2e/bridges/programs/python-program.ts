import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HouseProcess, ROOT } from '../../src/house/machine/process.ts'

/** Packages from PyPI, installed with their dependencies into a virtual environment in `.cache/python-programs`. */
export class PythonProgram {
  readonly #folder: string

  /** `packages`: names and versions as `pip` takes them. Throws if Python or the packages are not available. */
  constructor(packages: readonly string[]) {
    this.#folder = join(ROOT, '.cache/python-programs', packages.join('+').replace(/[^\w.+-]/g, '_'))
    if (existsSync(this.#folder)) return
    const unfinished = `${this.#folder}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    const target = join(unfinished, 'packages')
    run('python3', ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--target', target, ...packages])
    renameSync(unfinished, this.#folder)
  }

  /** Runs a script with the packages. */
  start(name: string, script: string, args: readonly string[], settings: Record<string, string>): HouseProcess {
    const environment = { ...settings, PYTHONPATH: join(this.#folder, 'packages'), PYTHONDONTWRITEBYTECODE: '1' }
    return new HouseProcess(name, 'python3', [script, ...args], environment, { folder: this.#folder })
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (error !== undefined) throw new Error(`needs ${command}: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim().split('\n').at(-1)}`)
}
