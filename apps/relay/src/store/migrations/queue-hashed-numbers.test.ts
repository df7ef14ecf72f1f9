import { Client } from 'pg'
import { expect, test } from 'vitest'
import { updateConversationOrder } from '../../conversation-order/update-order.ts'
import { emptyDatabase } from '../../testing/test-database.ts'
import { migrate, readMigrations } from './migrate.ts'
import { migrationsFolder } from './migrations-folder.ts'

const all = readMigrations(migrationsFolder())

test.each([
  ['removes the numbers that an older release hashed', 'hash', ['+2']],
  ['changes nothing if no message is hashed', null, ['+1', '+2']],
])('the migration %s', async (_, hash, kept) => {
  const store = await emptyDatabase()
  const relay = new Client({ connectionString: store.url })
  try {
    await migrate(
      store.url,
      all.filter(({ name }) => name < '0064'),
    )
    await relay.connect()
    await relay.query(`INSERT INTO accounts (id, username, password_hash) VALUES ('a1', 'a1', '')`)
    await relay.query(
      `INSERT INTO messages (account_id, id, device_id, created_at, finished_at, state, content_hash)
       VALUES ('a1', 'm1', 'd', now(), now(), 'Sent', $1)`,
      [hash],
    )
    await relay.query(`INSERT INTO inbox (account_id, id, device_id, type, sender, created_at)
      VALUES ('a1', 'i1', 'd', 'SMS', '+2', now())`)
    await relay.query(`INSERT INTO conversation_order (account_id, number, folder, last_at)
      VALUES ('a1', '+1', 'inbox', now()), ('a1', '+2', 'inbox', now())`)
    await migrate(store.url, all)
    await updateConversationOrder(store.database)
    const order = await store.database.conversationOrder.findMany({ orderBy: { number: 'asc' } })
    expect(order.map(({ number }) => number)).toEqual(kept)
  } finally {
    await relay.end()
    await store.close()
  }
})
