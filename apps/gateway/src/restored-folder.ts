import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { identityFile } from '@smsgw/agent/link/agent-identity'
import { syncFolder } from '@smsgw/daemon/durable-file'
import { StartError } from '@smsgw/daemon/start-error'

// A restore counts whole or not at all, whenever the power fails. In the data folder there is
//   arriving   what has come so far, the database among it. It counts for nothing; another restore begins anew
//   restored   all of it, on disk. What remains is to move it up, and whoever comes next does that

/** An empty folder for what arrives; what an earlier restore had left unfinished is gone. */
export function beginArrival(folder: string): string {
  abandonArrival(folder)
  const arriving = join(folder, ARRIVING)
  mkdirSync(arriving, { mode: 0o700 })
  return arriving
}

export function abandonArrival(folder: string): void {
  rmSync(join(folder, ARRIVING), { recursive: true, force: true })
}

/** From here on it counts. Every file in it is synced, and nobody has it open. */
export function completeArrival(folder: string): void {
  syncFolder(join(folder, ARRIVING))
  renameSync(join(folder, ARRIVING), join(folder, RESTORED))
  syncFolder(folder)
  moveUp(folder)
}

/** Before anything in the folder is used: a restore that was cut short is finished, or told of. */
export function finishRestore(folder: string): void {
  if (existsSync(join(folder, RESTORED))) moveUp(folder)
  if (existsSync(join(folder, ARRIVING)))
    throw new StartError(
      `a restore into ${folder} was broken off: restore again, or delete ${join(folder, ARRIVING)} to begin without it`,
    )
}

/** The key of the device last: where that is, everything is. */
function moveUp(folder: string): void {
  const restored = join(folder, RESTORED)
  const names = readdirSync(restored).sort(
    (one, other) => Number(one === identityFile) - Number(other === identityFile),
  )
  for (const name of names) renameSync(join(restored, name), join(folder, name))
  rmdirSync(restored)
  syncFolder(folder)
}

const ARRIVING = 'arriving'
const RESTORED = 'restored'
