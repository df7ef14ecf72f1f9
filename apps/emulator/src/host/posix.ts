import { closeSync, constants, openSync } from 'node:fs'
import { StartError } from '@smsgw/daemon/start-error'

/** Functions of the C library that Node lacks: pseudo-terminals, and file locks that end with their process. */
export interface Posix {
  openPty(): Pty
  /** Returns false if another process holds the lock of this file. */
  lock(fd: number): boolean
}

export interface Pty {
  /** `/dev/pts/3` */
  readonly path: string
  /** The descriptor is non-blocking. */
  readonly masterFd: number
  /**
   * The emulator keeps this descriptor open. Otherwise, a read of the master would fail with EIO while no program has
   * the port open.
   */
  readonly slaveFd: number
}

/** The library is loaded on first use, so that an emulator that has only TCP ports runs on any platform. */
export async function loadPosix(): Promise<Posix> {
  if (process.platform !== 'linux')
    throw new StartError(
      `pty: pseudo-terminals are served on Linux only, not on ${process.platform}; use --tcp 127.0.0.1:7001`,
    )
  const { default: koffi } = await import('koffi')
  const libc = koffi.load('libc.so.6')
  const posixOpenpt = libc.func('int posix_openpt(int flags)')
  const grantpt = libc.func('int grantpt(int fd)')
  const unlockpt = libc.func('int unlockpt(int fd)')
  const ptsnameR = libc.func('int ptsname_r(int fd, _Out_ uint8_t *name, size_t size)')
  const tcgetattr = libc.func('int tcgetattr(int fd, _Inout_ uint8_t *termios)')
  const cfmakeraw = libc.func('void cfmakeraw(_Inout_ uint8_t *termios)')
  const tcsetattr = libc.func('int tcsetattr(int fd, int when, _Inout_ uint8_t *termios)')
  const flock = libc.func('int flock(int fd, int operation)')

  const check = (call: string, result: unknown): number => {
    if (typeof result === 'number' && result >= 0) return result
    throw new StartError(`pty: ${call} failed with errno ${koffi.errno()}; is /dev/pts mounted? --tcp works without it`)
  }

  const makeRaw = (fd: number) => {
    const termios = new Uint8Array(TERMIOS_SPACE)
    check('tcgetattr', tcgetattr(fd, termios))
    cfmakeraw(termios)
    check('tcsetattr', tcsetattr(fd, TCSANOW, termios))
  }

  return {
    openPty() {
      const masterFd = check('posix_openpt', posixOpenpt(constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK))
      try {
        check('grantpt', grantpt(masterFd))
        check('unlockpt', unlockpt(masterFd))
        const name = new Uint8Array(64)
        // ptsname_r returns the error number, and does not set errno.
        check('ptsname_r', ptsnameR(masterFd, name, name.length) === 0 ? 0 : -1)
        const path = new TextDecoder().decode(name.subarray(0, name.indexOf(0)))
        const slaveFd = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
        makeRaw(slaveFd)
        return { path, masterFd, slaveFd }
      } catch (error) {
        closeSync(masterFd)
        throw error
      }
    },
    lock: (fd) => flock(fd, LOCK_EX | LOCK_NB) === 0,
  }
}

const TCSANOW = 0
const LOCK_EX = 2
const LOCK_NB = 4
/** Larger than struct termios on any Linux (60 octets with glibc). */
const TERMIOS_SPACE = 128
