import { StartError } from '@smsgw/daemon/start-error'
import { newId, type Random } from '../random.ts'
import type { Database } from './database.ts'
import type { SecretBox } from './secret-box.ts'

const CHECK = 'smsgw'
const PURPOSE = 'installation check'

export interface Installation {
  /** The id of this database's history. A restore changes the id. */
  readonly streamId: string
}

/**
 * Checks SERVER_SECRET. The first start stores a value that is encrypted with the secret. Later starts decrypt this
 * value.
 */
export async function checkInstallation(database: Database, box: SecretBox, random: Random): Promise<Installation> {
  await database.installation.createMany({
    data: { id: 1, streamId: newId(random), secretCheck: box.seal(CHECK, PURPOSE) },
    skipDuplicates: true,
  })
  const { secretCheck, streamId } = await database.installation.findUniqueOrThrow({ where: { id: 1 } })
  if (!opensCheck(box, secretCheck))
    throw new StartError(
      'SERVER_SECRET is not the secret with which this database was created, so its keys cannot be decrypted: set the original secret',
    )
  return { streamId }
}

/** Returns true if the value was encrypted with this secret. */
export function opensCheck(box: SecretBox, sealed: string): boolean {
  try {
    return box.open(sealed, PURPOSE) === CHECK
  } catch {
    return false // the value was encrypted with another secret
  }
}
