import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Emulator } from './house/emulator.ts'
import { Gateway, newFolder } from './house/gateway.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess, ROOT } from './house/machine/process.ts'
import { answersOf, type ReleaseAnswers } from './house/release-answers.ts'

// Each folder contains the data that upgrade/write-fixture.ts wrote with that release. `npm run proof -- upgrade` also
// uses the newest folder, and also tests downgrades.
const releases = join(ROOT, 'apps/e2e/releases')

describe.each(readdirSync(releases))('the data of release %s', (version) => {
  const fixture = join(releases, version)
  const answers = JSON.parse(readFileSync(join(fixture, 'answers.json'), 'utf8')) as ReleaseAnswers
  const folder = newFolder()
  let emulator: Emulator
  let gateway: Gateway

  beforeAll(async () => {
    const data = join(folder, 'data')
    mkdirSync(data)
    const restore = ['restore', join(fixture, 'gateway.backup')]
    const process = new HouseProcess('restore', mainScripts.gateway, restore, { DATA_DIR: data })
    expect(await process.ended(), process.complaints).toBe(0)
    emulator = await Emulator.start(folder, [{ number: '+447700900001' }])
    const settings = { MODEMS: emulator.pty(), IN_DOUBT_SECONDS: '5', SUBMIT_UNKNOWN_SECONDS: '60' }
    gateway = await Gateway.start(settings, { folder: data })
    await gateway.untilReady()
  })

  afterAll(async () => {
    await gateway?.stop()
    await emulator?.process.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('the data is complete: messages, received messages and webhooks', async () => {
    const ids = answers.messages.map(({ id }) => String(id))
    expect(ids.length).toBeGreaterThan(0)
    const now = await answersOf(gateway.api, ids)
    // Ignores fields that later releases have added.
    expect(now).toMatchObject(answers)
    for (const kind of ['messages', 'inbox', 'webhooks'] as const) expect(now[kind]).toHaveLength(answers[kind].length)
  })

  test('the data is upgraded in its original folder: database, journal, keys and password', () => {
    for (const file of ['credentials.json', 'journal.db'])
      expect(existsSync(join(gateway.folder, file)), file).toBe(true)
  })

  test('ends messages that were open, and sends none of them twice', async () => {
    for (const id of ['waiting-1', 'waiting-2']) {
      const isEnded = ({ state }: { readonly state: string }) => ['Sent', 'Delivered', 'Failed'].includes(state)
      await gateway.api.until(id, isEnded, 240_000)
    }
    const sent = emulator.ledger().map(({ destination }) => destination)
    expect(new Set(sent).size).toBe(sent.length)
    for (const { recipients } of answers.messages)
      for (const { phoneNumber } of recipients as readonly { phoneNumber: string }[])
        expect(sent).not.toContain(phoneNumber)
  })

  test('serves new messages', async () => {
    const id = await gateway.api.send({ phoneNumbers: ['+447400500099'], textMessage: { text: 'After the upgrade' } })
    await gateway.api.until(id, ({ state }) => state === 'Delivered')
  })
})
