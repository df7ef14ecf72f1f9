import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import type { House } from '../src/house/house.ts'
import { type Audit, Traffic } from '../src/house/traffic.ts'

/** Damage to the data while messages are sent and received. */
export const disasters: Readonly<Record<string, (house: House, number: number) => Promise<Audit>>> = {
  'journal replaced by an older copy': restoreOlderJournal,
  'database stopped at once': stopDatabaseAtOnce,
}

/**
 * Simulates a memory card that was restored from an older image. Messages that were sent after the image was made must
 * not be sent again.
 */
async function restoreOlderJournal(house: House, number: number): Promise<Audit> {
  const [journal, older] = [join(house.folder, 'agent'), join(house.folder, 'agent-older')]
  await house.agent?.stop()
  cpSync(journal, older, { recursive: true })
  await house.startAgent()
  const traffic = new Traffic(house, number)
  await traffic.receive('before the copy comes back')
  for (const text of ['one', 'long '.repeat(70), 'three']) await traffic.send(text)
  await eventually(
    () => house.emulator.ledger().some(({ text }) => text?.includes(`traffic-${number}-`)),
    (isOnAir) => isOnAir,
    30_000,
  )
  await traffic.untilReceived()
  await house.agent?.kill()
  rmSync(journal, { recursive: true })
  renameSync(older, journal)
  await house.startAgent({}, false)
  await traffic.send('after')
  return await traffic.audit()
}

/**
 * Stops PostgreSQL like `pg_ctl stop -m immediate`: without a checkpoint, and all sessions are ended. The relay
 * restarts it.
 */
async function stopDatabaseAtOnce(house: House, number: number): Promise<Audit> {
  const file = join(house.folder, 'relay', 'database', 'postmaster.pid')
  if (house.agent?.isOver) await house.startAgent()
  await house.untilReady()
  const traffic = new Traffic(house, number)
  for (const text of ['one', 'long '.repeat(70), 'three', 'four']) {
    await traffic.send(text)
    await traffic.receive(text.slice(0, 5))
    if (text === 'three') process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGQUIT')
  }
  return await traffic.audit()
}
