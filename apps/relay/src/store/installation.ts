import { StartError } from '@smsgw/daemon/start-error'
import { newId, type Random } from '../random.ts'
import type { Database } from './database.ts'
import type { SecretBox } from './secret-box.ts'

const CHECK = 'smsgw'
const PURPOSE = 'installation check'

export interface Installation {
  /** Tells agents that they speak to the same history as before. */
  readonly streamId: string
}

/** The first start leaves something that only its secret opens; later ones see by it whether theirs is the same. */
export async function checkInstallation(database: Database, box: SecretBox, random: Random): Promise<Installation> {
  await database.installation.createMany({
    data: { id: 1, streamId: newId(random), secretCheck: box.seal(CHECK, PURPOSE) },
    skipDuplicates: true,
  })
  const { secretCheck, streamId } = await database.installation.findUniqueOrThrow({ where: { id: 1 } })
  if (!opensCheck(box, secretCheck))
    throw new StartError(
      'SERVER_SECRET is not the one that this database was made with, and its keys cannot be read: set the old one again',
    )
  return { streamId }
}

/** Whether it was sealed with this secret. */
export function opensCheck(box: SecretBox, sealed: string): boolean {
  try {
    return box.open(sealed, PURPOSE) === CHECK
  } catch {
    return false // sealed with another secret
  }
}
