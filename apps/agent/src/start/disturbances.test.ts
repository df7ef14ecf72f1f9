import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AgentFixture } from '../testing/agent-fixture.ts'

let fixture: AgentFixture

beforeEach(() => {
  fixture = new AgentFixture()
})

afterEach(() => fixture.dispose())

test('disconnects from a relay that floods it with settings, after only a few writes to the disk', async () => {
  await online()
  const before = commits()
  for (let at = 0; at < 20_000 && fixture.relay.isConnected; at += 1) {
    fixture.relay.settings = { ping: { interval_seconds: 3_600 + (at % 2) } }
    fixture.relay.sendTime(fixture.relay.serverTime())
  }
  await expect.poll(() => fixture.log.join('\n')).toContain('too many frames')
  await fixture.stop()
  expect(commits() - before).toBeLessThan(20)
})

test('clears the journal problem in the status when the disk works again', async () => {
  await online()
  const blocker = new DatabaseSync(journalPath())
  blocker.exec('BEGIN IMMEDIATE')
  fixture.relay.send('c1', '+447700900555', 'Hello')
  const problem = () => fixture.agent?.status().journal.problem
  await expect.poll(problem).toContain('could not be written')
  blocker.exec('ROLLBACK')
  blocker.close()
  await expect.poll(problem).toBeUndefined()
  expect(fixture.log.join('\n')).toContain('journal is working again, all changes are on disk: /')
})

async function online(): Promise<void> {
  await fixture.start([])
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('online')
}

function journalPath(): string {
  return join(fixture.dataDir, 'journal.db')
}

function commits(): number {
  const database = new DatabaseSync(journalPath(), { readOnly: true })
  const [row] = database.prepare('SELECT commits FROM journal').all()
  database.close()
  return Number(row?.['commits'])
}
