import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HouseProcess, ROOT } from '../../src/house/machine/process.ts'

/** A program from npm, installed into `.cache/npm-programs` with its dependencies. No install script runs. */
export class NpmProgram {
  readonly folder: string

  /** @param program name and version. Throws if the registry does not have the program. */
  constructor(program: string) {
    this.folder = join(ROOT, '.cache/npm-programs', program)
    if (existsSync(this.folder)) return
    const unfinished = `${this.folder}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    writeFileSync(join(unfinished, 'package.json'), '{}')
    install(unfinished, program)
    renameSync(unfinished, this.folder)
  }

  /** Starts a file of the program, which runs until it is stopped. */
  start(name: string, file: string, args: readonly string[], settings: Record<string, string>): HouseProcess {
    return new HouseProcess(name, join(this.folder, 'node_modules', file), args, settings)
  }
}

/** Builds a package of the repository in its published form, and installs it into a folder. */
export function installOurs(project: string, folder: string): void {
  const packed = join(folder, 'packed')
  execFileSync(process.execPath, [join(ROOT, '.repo/pack-npm.ts'), project, '--into', packed], { stdio: 'ignore' })
  const [file = ''] = readdirSync(packed)
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{}')
  install(folder, join(packed, file))
  rmSync(packed, { recursive: true })
  const added = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.') && name !== '@smsgw')
  if (added.length > 0) throw new Error(`${project} must have no dependencies, but npm installed ${added.join(', ')}`)
}

function install(folder: string, what: string): void {
  const args = [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    '--loglevel',
    'error',
    what,
  ]
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm install ${what} failed: ${stderr.trim().split('\n').at(-1)}`)
}
