import { correctStoredTimes } from '../clock/correct-stored-times-statement.ts'
import { behindStoredTimesMs, readDatabaseMs } from '../clock/read-clock-statement.ts'
import type { Statements } from '../database.ts'
import {
  addListChanges,
  areListCountsBehind,
  correctListCounts,
  countList,
  deleteEmptyListCounts,
  lists,
  lockListProgress,
} from '../list-counts/list-counts-statement.ts'
import { testDiskSpace } from '../test-disk-space-statement.ts'

/** Runs every statement of the store at least once, for `statements.test.ts`. */
export const storeExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'store/clock/correct-stored-times-statement.ts': (s) => correctStoredTimes(s as never, 1_000),
  'store/clock/read-clock-statement.ts': async (s) => {
    await readDatabaseMs(s)
    await behindStoredTimesMs(s)
  },
  'store/list-counts/list-counts-statement.ts': async (s) => {
    await countList(s, { list: 'inbox', owner: 'account', deviceId: 'device', kinds: ['SMS'] })
    await areListCountsBehind(s)
    await addListChanges(s, 1)
    for (const list of lists) {
      await lockListProgress(s, list)
      await correctListCounts(s, list, '1')
    }
    await deleteEmptyListCounts(s)
  },
  'store/test-disk-space-statement.ts': (s) => testDiskSpace(s),
}
