import {
  closeSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../make-folder.ts'
import { StartError } from '../start-error.ts'
import type { Posix } from './posix.ts'

/**
 * A symbolic link that stays where it is while the pseudo-terminal behind it comes and goes. A lock file beside it
 * belongs to the running emulator and dies with it, so a link that a killed one left behind is known to be free.
 */
export class StableLink {
  readonly path: string
  readonly #lockPath: string
  readonly #lockFd: number

  private constructor(path: string, lockPath: string, lockFd: number) {
    this.path = path
    this.#lockPath = lockPath
    this.#lockFd = lockFd
  }

  /** Ours from now on, and pointing nowhere yet. */
  static claim(path: string, posix: Posix): StableLink {
    try {
      refuseForeign(path)
      makeFolder(dirname(path))
      const lockPath = join(dirname(path), `.${basename(path)}.lock`)
      const link = new StableLink(path, lockPath, takeLock(path, lockPath, posix))
      link.remove()
      return link
    } catch (error) {
      if (error instanceof StartError) throw error
      throw new StartError(
        `pty: cannot make ${path}: ${(error as Error).message}; choose another, such as --pty ./modem0`,
      )
    }
  }

  /** In one step: there is no moment at which a program finds half a link. */
  pointTo(target: string): void {
    const temporary = `${this.path}.new`
    rmSync(temporary, { force: true })
    symlinkSync(target, temporary)
    renameSync(temporary, this.path)
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }

  release(): void {
    this.remove()
    rmSync(this.#lockPath, { force: true })
    closeSync(this.#lockFd)
  }
}

function refuseForeign(path: string): void {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return
  if (entry.isSymbolicLink() && readlinkSync(path).startsWith('/dev/pts/')) return
  throw new StartError(
    `pty: ${path} exists and is not a link of the emulator; remove it or choose another, such as --pty ./modem0`,
  )
}

function takeLock(path: string, lockPath: string, posix: Posix): number {
  for (;;) {
    const fd = openSync(lockPath, 'a+', 0o644)
    if (!posix.lock(fd)) {
      const holder = readFileSync(fd, 'utf8').trim()
      closeSync(fd)
      throw new StartError(
        `pty: ${path} is served by another emulator (process ${holder}); stop it or choose another, such as --pty ./modem1`,
      )
    }
    // The former holder may have removed the file between our opening and locking it: that lock would protect nothing.
    const found = statSync(lockPath, { throwIfNoEntry: false })
    if (found?.ino === fstatSync(fd).ino) {
      ftruncateSync(fd)
      writeSync(fd, `${process.pid}\n`)
      return fd
    }
    closeSync(fd)
  }
}
