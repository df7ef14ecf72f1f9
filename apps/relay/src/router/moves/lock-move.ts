import { StartError } from '@smsgw/daemon/start-error'
import type { Pool } from 'pg'

/** Locks the moves of an account in the directory. The second key is the hash of the account's id. */
const LOCK_CLASS = 1_936_554_702

/** The lock that one command holds. It is released when the command's connection to the directory ends. */
export interface MoveLock {
  /** Throws if the connection is lost, because another command may then have the lock. */
  check(): Promise<void>
}

/** Runs the work while no other command moves the account. */
export async function withMoveLock<T>(
  directory: Pool,
  { accountId, username }: { readonly accountId: string; readonly username: string },
  work: (lock: MoveLock) => Promise<T>,
): Promise<T> {
  const client = await directory.connect()
  let isLost = false
  // Without a listener, a lost connection would end the process.
  const onError = () => {
    isLost = true
  }
  client.on('error', onError)
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked',
      [LOCK_CLASS, accountId],
    )
    if (rows[0]?.locked !== true) throw new MoveTaken(username)
    return await work({
      async check() {
        if (!isLost) await client.query('SELECT 1').catch(onError)
        if (isLost) throw new LockLost()
      },
    })
  } finally {
    // Closing a connection releases its locks too, but later.
    await client.query('SELECT pg_advisory_unlock_all()').catch(onError)
    client.off('error', onError)
    client.release(isLost)
  }
}

/** Another command moves the account, so this command must change nothing more. */
export class MoveTaken extends StartError {
  constructor(username: string) {
    super(`another command is moving this account (${username}): wait until it ends, then look at \`smsgw cells list\``)
  }
}

/** This command lost its lock, so it must change nothing more. */
export class LockLost extends StartError {
  constructor() {
    super('lost the connection to the directory: repeat the command')
  }
}
