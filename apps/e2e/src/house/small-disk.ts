import { spawnSync } from 'node:child_process'
import { appendFileSync, closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pageBytes = 4_096

/** A small file system for tests with a full disk. Only root can mount one. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static mount(): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'smsgw-small-disk-'))
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'smsgw-small-disk', folder])
    if (status === 0) return new SmallDisk(folder)
    rmSync(folder, { recursive: true })
    return undefined
  }

  /** Fills it completely, including the last page of each file. */
  fill(): void {
    for (const file of readdirSync(this.folder)) {
      const path = join(this.folder, file)
      appendFileSync(path, '\n'.repeat(pageBytes - (statSync(path).size % pageBytes)))
    }
    const file = openSync(join(this.folder, 'filler'), 'a')
    try {
      for (const size of [65_536, pageBytes, 1]) fillWith(file, Buffer.alloc(size))
    } finally {
      closeSync(file)
    }
  }

  empty(): void {
    rmSync(join(this.folder, 'filler'), { force: true })
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder])
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function fillWith(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) > 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
