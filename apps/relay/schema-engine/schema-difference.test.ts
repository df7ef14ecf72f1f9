import { Client } from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../src/testing/test-database.ts'
import { schemaDifference } from './schema-difference.ts'

test('the migrations result in schema.prisma (if not, `npm run migration -- <name>` writes the missing migration)', async () => {
  const { url, close } = await testDatabase()
  expect(await schemaDifference(url)).toBe('')
  await close()
})

test('detects an extra column and a missing index', async () => {
  const { url, close } = await testDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('ALTER TABLE accounts ADD COLUMN colour text; DROP INDEX logs_account_id_created_at_id_idx')
  await client.end()
  const sql = await schemaDifference(url)
  expect(sql).toContain('ALTER TABLE "accounts" DROP COLUMN "colour"')
  expect(sql).toContain('CREATE INDEX "logs_account_id_created_at_id_idx"')
  await close()
})
