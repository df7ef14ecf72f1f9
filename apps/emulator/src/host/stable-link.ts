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
import { StartError } from '@smsgw/daemon/start-error'
import { makeFolder } from './make-folder.ts'
import type { Posix } from './posix.ts'

/**
 * A symbolic link with a fixed path to a changing pseudo-terminal. The running emulator keeps a lock file next to the
 * link until its process ends, so the next emulator can take over the link of a killed emulator.
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

  /** Takes the lock and removes an old link. */
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
        `pty: cannot create ${path}: ${(error as Error).message}; choose another path, for example --pty ./modem0`,
      )
    }
  }

  /** Replaces the link in one step, so that programs never find it missing. */
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
    `pty: ${path} exists and is not a link of the emulator; remove it or choose another path, for example --pty ./modem0`,
  )
}

function takeLock(path: string, lockPath: string, posix: Posix): number {
  for (;;) {
    const fd = openSync(lockPath, 'a+', 0o644)
    if (!posix.lock(fd)) {
      const holder = readFileSync(fd, 'utf8').trim()
      closeSync(fd)
      throw new StartError(
        `pty: ${path} is served by another emulator (process ${holder}); stop it or choose another path, for example --pty ./modem1`,
      )
    }
    // Checks that the file still exists. The previous owner may have removed the file before this lock was taken, and a
    // lock on a removed file has no effect.
    const found = statSync(lockPath, { throwIfNoEntry: false })
    if (found?.ino === fstatSync(fd).ino) {
      ftruncateSync(fd)
      writeSync(fd, `${process.pid}\n`)
      return fd
    }
    closeSync(fd)
  }
}
