import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BootMemory } from './boot-memory.ts'

/** How far a journal had come, and whether the relay has confirmed since this boot that it is no old copy. */
interface Mark {
  readonly bootId: string
  /** Chosen anew at each start, and written into the journal too: only one journal goes on from it. */
  readonly token: string
  readonly commits: number
  readonly isConfirmed: boolean
}

/**
 * Tells after a restart of the process whether the journal is the one that was left: as long as the machine was not
 * switched off, its memory knows how far that had come. It is set behind every commit and before anybody hears of that,
 * so a journal that was put back, or another's, is behind its mark or has another token.
 */
export class BootMark {
  /** The journal is what this boot left, and the relay had confirmed it: what it holds may be sent. */
  readonly isContinued: boolean
  readonly #file: string
  #descriptor: number | undefined
  #mark: Mark

  /**
   * @param journal as it is found
   * @param token of the start, which is in the journal already
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
    // In one step: a start that is cut off leaves none, or the one of before, whose token the journal has no longer.
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
      // A mark that stands still would believe an old copy: better none.
      this.close()
      rmSync(this.#file, { force: true })
    }
  }
}

function readMark(file: string): Mark | undefined {
  const [bootId, token, commits, confirmed] = linesOf(file)[0]?.split(' ') ?? []
  if (bootId === undefined || token === undefined || commits === undefined) return undefined
  return { bootId, token, commits: Number(commits), isConfirmed: confirmed === 'confirmed' }
}

/** Always as long: it is written in place. */
function lineOf({ bootId, token, commits, isConfirmed }: Mark): string {
  const words = [bootId, token, String(commits).padStart(16, '0'), isConfirmed ? 'confirmed' : 'told']
  return `${words.join(' ').padEnd(lineLength - 1)}\n`
}

/** Marks of journals that are no more. */
function forgetGone(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => markName.test(each))) {
    const file = join(folder, name)
    const [, path] = linesOf(file)
    if (path && !existsSync(path)) rmSync(file, { force: true })
  }
}

/** None when it is not there, or no longer. */
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
