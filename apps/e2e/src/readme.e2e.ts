import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { cloneInto } from './house/clone.ts'
import { commandsWith } from './house/documented-commands.ts'
import { freePort } from './house/free-port.ts'
import { HouseProcess, logged } from './house/process.ts'

let folder: string
const running: HouseProcess[] = []
/** What the reader's terminals have in their environment; the ports are others than usual, which may be taken here. */
const environment: Record<string, string> = { EMULATOR_CONTROL: '127.0.0.1:0' }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-readme-'))
  cloneInto(folder)
  environment['PORT'] = String(await freePort())
})

afterAll(async () => {
  for (const process of running.reverse()) await process.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a relay, an agent and an emulated modem, from nothing and by what the README says alone', async () => {
  const [secret = '', relay = '', list = ''] = theFirst(3, commandsWith('README.md', 'npm run relay'))
  environment['SERVER_SECRET'] = await typed(`${secret}\nprintf "%s\\n" "$SERVER_SECRET"`)
  await stays(relay, logged('the relay is there'))
  expect(JSON.parse(await typed(list))).toEqual([])

  const [emulator = '', code = '', pair = '', run = '', send = ''] = theFirst(
    5,
    commandsWith('README.md', 'npm run agent -- pair'),
  )
  await stays(emulator, (line) => (line.includes('data/emulator/modem0') ? line : undefined))
  const [identify = ''] = theFirst(1, commandsWith('README.md', 'npm run modem'))
  expect(await typed(identify)).toContain('EC25')
  const answer = JSON.parse(await typed(code))
  await typed(pair.replace('<code>', answer.code))
  await stays(run, (line) => (/modem .*: ready/.test(line) ? line : undefined))

  const sent = JSON.parse(await typed(send))
  expect(sent).toMatchObject({ id: expect.any(String), recipients: [{ phoneNumber: '+447400123456' }] })
  const ledger = join(folder, 'data/emulator/ledger.jsonl')
  const lines = await eventually(
    () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean),
    (found) => found.length > 0,
  )
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ destination: '+447400123456', text: 'Hello' }])
})

function theFirst(count: number, lines: readonly string[]): string[] {
  if (lines.length < count) throw new Error(`too few commands: ${lines.join('\n')}`)
  return lines.slice(0, count)
}

/** A command that ends; what it says. */
async function typed(command: string): Promise<string> {
  const process = terminal(command)
  const code = await process.ended()
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${process.complaints}${process.lines.join('\n')}`)
  return process.lines.filter((line) => !line.startsWith('> ')).join('\n')
}

/** A command that goes on: in a terminal of its own. */
async function stays(command: string, isThere: (line: string) => unknown): Promise<void> {
  const process = terminal(command)
  running.push(process)
  await process.said(isThere)
}

function terminal(command: string): HouseProcess {
  const here = command.replaceAll('127.0.0.1:3000', `127.0.0.1:${environment['PORT']}`)
  return new HouseProcess(command, 'bash', ['-c', here], environment, { folder })
}
