import type { CommandLine } from '@smsgw/daemon/command-line'
import type { Terminal } from '@smsgw/daemon/terminal/terminal'
import type { Clock } from '../clock.ts'
import { newArchivePath } from './archive-path.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { backupDatabase } from './backup-database.ts'

/** `npm run relay -- backup <file>` */
export async function backupRelay(
  { url, clock, terminal }: { readonly url: string; readonly clock: Clock; readonly terminal: Terminal },
  { positionals }: CommandLine,
): Promise<void> {
  const path = newArchivePath(positionals[0] ?? '')
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
