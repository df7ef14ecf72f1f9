import { userCommand } from '@smsgw/daemon/user-command'
import type { Terminal } from '../accounts/terminal.ts'
import type { Clock } from '../clock.ts'
import { newArchivePath } from './archive-path.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { backupDatabase } from './backup-database.ts'

export const backupUsage = [
  'backup <file>                                             back up the whole database while relays run',
  'restore <file>                                            restore a backup into an empty database',
]

/** `npm run relay -- backup <file>` */
export async function backupRelay(
  { url, clock, terminal }: { readonly url: string; readonly clock: Clock; readonly terminal: Terminal },
  args: readonly string[],
): Promise<void> {
  const path = newArchivePath(args, userCommand('relay', 'backup smsgw.backup'))
  const now = clock.now()
  const archive = new ArchiveWriter(path, now)
  try {
    const rows = await backupDatabase({ url, kind: 'relay', now, archive })
    await archive.finish()
    terminal.print(`${rows} rows written to ${path}; also keep SERVER_SECRET, which is not part of the backup`)
  } catch (error) {
    await archive.abandon()
    throw error
  }
}
