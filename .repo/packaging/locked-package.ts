import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the folder of a package of the lockfile. npm has installed the packages for this machine. A package for
 * another machine is downloaded and must match the hash in the lockfile.
 */
export function lockedPackage(root: string, name: string): string {
  const installed = join(root, 'node_modules', name)
  if (existsSync(join(installed, 'package.json'))) return installed
  const { version, integrity } = lockEntry(root, name)
  const folder = join(root, '.cache/packages', `${name.replaceAll('/', '+')}@${version}`)
  if (!existsSync(folder)) fetchPackage(`${name}@${version}`, integrity, folder)
  return join(folder, 'package')
}

function lockEntry(root: string, name: string): { readonly version: string; readonly integrity: string } {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const entry = packages[`node_modules/${name}`]
  if (entry?.integrity === undefined) throw new Error(`package-lock.json does not contain ${name}`)
  return entry
}

function fetchPackage(wanted: string, integrity: string, folder: string): void {
  const work = mkdtempSync(join(tmpdir(), 'smsgw-package-'))
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', work, wanted], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [{ filename }] = JSON.parse(packed)
    const archive = join(work, filename)
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (found !== integrity) throw new Error(`${wanted} has the hash ${found}, which is not in package-lock.json`)
    mkdirSync(folder, { recursive: true })
    execFileSync('tar', ['-xzf', archive, '-C', folder])
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
