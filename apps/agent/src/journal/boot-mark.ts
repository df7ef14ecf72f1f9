import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** The state of a journal, and whether the relay has confirmed since this boot that the journal is not an old copy. */
interface Mark {
  readonly bootId: string
  /** The token of the last start. A journal with another token is a copy, and is not continued. */
  readonly token: string
  readonly commits: number
  readonly isConfirmed: boolean
}

/**
 * Detects after a restart of the process whether the journal file is still the file that the previous process used, and
 * not a copy. The mark is stored in memory that is lost only when the machine is switched off. The mark is updated
 * after every commit, before the commit is reported. Therefore a restored or copied journal has fewer commits than the
 * mark, or a different token.
 */
export class BootMark {
  /** True if the journal has been used and confirmed since this boot, so that its messages may be sent. */
  readonly isContinued: boolean
  readonly #file: string
  #descriptor: number | undefined
  #mark: Mark

  /**
   * @param journal the state found at the start
   * @param token the token of this start, which the journal already contains
   */
  constructor(
    { bootId, folder }: BootMemory,
    path: string,
    journal: { readonly token: string | undefined; readonly commits: number },
    token: string,
  ) {
    this.#file = join(folder, createHash('sha256').update(path).digest('hex').slice(0, 32))
    const left = readMark(this.#file)
    this.isContinued =
      left?.isConfirmed === true &&
      left.bootId === bootId &&
      left.token === journal.token &&
      journal.commits >= left.commits
    this.#mark = { bootId, token, commits: journal.commits, isConfirmed: this.isContinued }
    forgetGone(folder)
    // Renaming is atomic. So an interrupted start leaves either no mark or the previous mark. The token of the previous
    // mark no longer matches the token in the journal.
    writeFileSync(`${this.#file}.new`, `${lineOf(this.#mark)}${path}\n`, { mode: 0o600 })
    renameSync(`${this.#file}.new`, this.#file)
    this.#descriptor = openSync(this.#file, 'r+')
  }

  committed(commits: number): void {
    this.#set({ ...this.#mark, commits })
  }

  confirm(isConfirmed: boolean): void {
    this.#set({ ...this.#mark, isConfirmed })
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #set(mark: Mark): void {
    this.#mark = mark
    if (this.#descriptor === undefined) return
    try {
      writeSync(this.#descriptor, lineOf(mark), 0, 'latin1')
    } catch {
      // Removes the mark, because a mark that is not updated would match an old copy of the journal.
      this.close()
      rmSync(this.#file, { force: true })
    }
  }
}

/**
 * Memory that is lost only when the machine is switched off. Backups, images and snapshots of the disks do not contain
 * it.
 */
export interface BootMemory {
  /** The kernel's id of this boot. */
  readonly bootId: string
  /** The folder of the mark, on a file system in memory. */
  readonly folder: string
}

/** Returns undefined if this machine has no memory of this kind. */
export function bootMemory(shared = '/dev/shm'): BootMemory | undefined {
  try {
    if (statfsSync(shared).type !== tmpfs) return undefined
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const uid = process.getuid?.()
    const folder = join(shared, `smsgw-${uid}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Rejects a link, and a folder that another user owns or may change, because every user may write to /dev/shm.
    const found = lstatSync(folder)
    const isOurs = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0
    return isOurs ? { bootId, folder } : undefined
  } catch (error) {
    // On systems other than Linux, or without access to this memory, only the relay can confirm the journal.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function readMark(file: string): Mark | undefined {
  const [bootId, token, commits, confirmed] = linesOf(file)[0]?.split(' ') ?? []
  if (bootId === undefined || token === undefined || commits === undefined) return undefined
  return { bootId, token, commits: Number(commits), isConfirmed: confirmed === 'confirmed' }
}

/** Returns a line of fixed length, because the line is overwritten in place. */
function lineOf({ bootId, token, commits, isConfirmed }: Mark): string {
  const words = [bootId, token, String(commits).padStart(16, '0'), isConfirmed ? 'confirmed' : 'unconfirmed']
  return `${words.join(' ').padEnd(lineLength - 1)}\n`
}

/** Removes the marks of deleted journals. */
function forgetGone(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => markName.test(each))) {
    const file = join(folder, name)
    const [, path] = linesOf(file)
    if (path && !existsSync(path)) rmSync(file, { force: true })
  }
}

/** Returns an empty list if the file does not exist. */
function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

const markName = /^[0-9a-f]{32}(\.new)?$/
const lineLength = 128
const tmpfs = 0x01021994
