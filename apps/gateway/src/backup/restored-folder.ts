import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identityFile } from '@smsgw/agent/link/agent-identity'
import { syncFolder } from '@smsgw/daemon/files/durable-file'
import { StartError } from '@smsgw/daemon/start-error'

// A restore takes effect completely or not at all, even after a power cut. It uses two folders in the data folder.
// `arriving` contains the data restored so far: it is ignored, and the next restore deletes it. `restored` contains the
// complete data on disk, which is moved to the data folder, by the next start if necessary.

/**
 * Creates an empty folder for the restored data and deletes the files that an unfinished restore left. If that restore
 * was killed a moment ago, its database may still be writing into the folder, so the deletion is repeated until it
 * succeeds.
 */
export async function beginArrival(folder: string): Promise<string> {
  const arriving = join(folder, ARRIVING)
  for (const until = performance.now() + LONGEST_WRITING_MS; ; await sleep(50)) {
    try {
      abandonArrival(folder)
      mkdirSync(arriving, { mode: 0o700 })
      return arriving
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST' && code !== 'ENOTEMPTY') throw error
      if (performance.now() > until)
        throw new StartError(`${arriving} cannot be deleted, because another program is writing into it`)
    }
  }
}

export function abandonArrival(folder: string): void {
  rmSync(join(folder, ARRIVING), { recursive: true, force: true })
}

/** Completes the restore. All files must already be synced and closed. */
export function completeArrival(folder: string): void {
  syncFolder(join(folder, ARRIVING))
  renameSync(join(folder, ARRIVING), join(folder, RESTORED))
  syncFolder(folder)
  moveUp(folder)
}

/** Finishes a complete restore, or throws a StartError if a restore is incomplete. Runs before the folder is used. */
export function finishRestore(folder: string): void {
  if (existsSync(join(folder, RESTORED))) moveUp(folder)
  if (existsSync(join(folder, ARRIVING)))
    throw new StartError(
      `the last restore into ${folder} did not finish. Restore again, or delete ${join(folder, ARRIVING)} to start without the restored data`,
    )
}

/** Moves the identity file last, because its presence shows that all other files were moved. */
function moveUp(folder: string): void {
  const restored = join(folder, RESTORED)
  const names = readdirSync(restored).sort(
    (one, other) => Number(one === identityFile) - Number(other === identityFile),
  )
  for (const name of names) renameSync(join(restored, name), join(folder, name))
  rmdirSync(restored)
  syncFolder(folder)
}

/** How long to wait for the database to end. It normally ends much sooner, because its folder was deleted. */
const LONGEST_WRITING_MS = 10_000
const ARRIVING = 'arriving'
const RESTORED = 'restored'
