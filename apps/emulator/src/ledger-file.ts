import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import { makeFolder } from './host/make-folder.ts'

/**
 * The accepted messages, one JSON object per line, appended and synced before the modem answers `+CMGS:`. The write is
 * synchronous and so blocks all modems. This is intended: no sender receives a result for a message that a crash could
 * erase.
 */
export class LedgerFile {
  readonly path: string
  readonly #fd: number
  readonly #disk: Disk

  constructor(path: string, disk: Disk = realDisk) {
    this.path = path
    this.#disk = disk
    try {
      makeFolder(dirname(path))
      this.#fd = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600)
      this.#cutTornLine()
    } catch (error) {
      throw new StartError(
        `ledger: cannot write ${path}: ${(error as Error).message}; choose another path, for example --ledger ./ledger.jsonl`,
      )
    }
  }

  append(entry: LedgerEntry): void {
    const { epochMs, ...rest } = entry
    const line = new TextEncoder().encode(`${JSON.stringify({ time: new Date(epochMs).toISOString(), ...rest })}\n`)
    for (let written = 0; written < line.length; ) written += this.#disk.write(this.#fd, line.subarray(written))
    this.#disk.sync(this.#fd)
  }

  /** Returns the last `count` entries of the file, oldest first. */
  tail(count: number): unknown[] {
    const lines = this.#end(count * LONGEST_LINE_BYTES)
      .split('\n')
      .slice(0, -1)
    return lines.slice(Math.max(0, lines.length - count)).map((line) => JSON.parse(line) as unknown)
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Removes a partial line that a crash has left. No modem has confirmed the message of this line. */
  #cutTornLine(): void {
    const torn = Buffer.byteLength(this.#end(LONGEST_LINE_BYTES).split('\n').at(-1) ?? '')
    if (torn > 0) ftruncateSync(this.#fd, fstatSync(this.#fd).size - torn)
  }

  /** Returns the whole lines in the last `bytes`, and the text after the last line end. */
  #end(bytes: number): string {
    const { size } = fstatSync(this.#fd)
    const start = Math.max(0, size - bytes)
    const buffer = Buffer.alloc(size - start)
    const length = readSync(this.#fd, buffer, 0, buffer.length, start)
    const text = buffer.toString('utf8', 0, length)
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
  }
}

/** A SUBMIT has at most 164 octets; its text at most 160 characters. */
const LONGEST_LINE_BYTES = 4096

/** The two file operations, which tests can replace. */
export interface Disk {
  write(fd: number, bytes: Uint8Array): number
  sync(fd: number): void
}

const realDisk: Disk = { write: writeSync, sync: fdatasyncSync }
