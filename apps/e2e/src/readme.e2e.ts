import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { commandsWith } from './house/documented-commands.ts'
import { freePort } from './house/machine/free-port.ts'
import { HouseProcess, logged, ROOT } from './house/machine/process.ts'

const GUIDE = 'docs/CONTRIBUTING.md'
let folder: string
const running: HouseProcess[] = []
/**
 * The environment of the reader's terminals. It contains other ports, because the usual ports may be in use on this
 * machine.
 */
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

test('the README leads from a fresh clone to a sent message', async () => {
  await stays('npm start', (line) => (line.includes('Ctrl-C') ? line : undefined))
  const [account = '', send = '', list = ''] = theFirst(3, commandsWith('README.md', 'ACCOUNT='))
  const sent = JSON.parse(await typed(`${account}\n${send}`))
  expect(sent).toMatchObject({ id: expect.any(String), recipients: [{ phoneNumber: '+447400123456' }] })
  expect(JSON.parse(await typed(`${account}\n${list}`))).toMatchObject([{ id: sent.id }])
  const [status = '', doctor = ''] = theFirst(2, commandsWith('README.md', 'npm run gateway -- status'))
  await eventually(
    () => typed(status),
    (said) => said.includes('SIM 1'),
  )
  // While the modem is not ready, the doctor reports a problem and ends with an error.
  await eventually(
    () => typed(doctor).catch(String),
    (said) => /^ok +agent: running/m.test(said),
  )
  const program = `${account}\nSMSGW_URL=http://127.0.0.1:3000 SMSGW_PASSWORD="\${ACCOUNT#*:}" node docs/examples/send.mjs`
  expect(await typed(`${program} +447400123457 'Hello from a program'`)).toMatch(/^\S+ Pending$/)
  await running.pop()?.stop()
})

test('the guide for contributors starts relay, agent and emulator as separate processes', async () => {
  const [secret = '', relay = '', list = ''] = theFirst(3, commandsWith(GUIDE, 'npm run relay'))
  environment['SERVER_SECRET'] = await typed(`${secret}\nprintf "%s\\n" "$SERVER_SECRET"`)
  await stays(relay, logged('relay listening'))
  expect(JSON.parse(await typed(list))).toEqual([])

  const [emulator = '', code = '', pair = '', run = '', send = ''] = theFirst(
    5,
    commandsWith(GUIDE, 'npm run agent -- pair'),
  )
  await stays(emulator, (line) => (line.includes('data/emulator/modem0') ? line : undefined))
  const [identify = ''] = theFirst(1, commandsWith(GUIDE, 'npm run modem'))
  expect(await typed(identify)).toContain('EC25')
  const answer = JSON.parse(await typed(code))
  await typed(pair.replace('<code>', answer.code))
  await stays(run, (line) => (/modem .*: ready/.test(line) ? line : undefined))

  const message = JSON.parse(await typed(send))
  expect(message).toMatchObject({ id: expect.any(String), recipients: [{ phoneNumber: '+447400123456' }] })
  const ledger = join(folder, 'data/emulator/ledger.jsonl')
  const lines = await eventually(
    () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').filter(Boolean) : []),
    (found) => found.length > 0,
  )
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ destination: '+447400123456', text: 'Hello' }])
})

function theFirst(count: number, lines: readonly string[]): string[] {
  if (lines.length < count) throw new Error(`too few commands: ${lines.join('\n')}`)
  return lines.slice(0, count)
}

/** Runs a command until it ends; returns its output. */
async function typed(command: string): Promise<string> {
  const process = terminal(command)
  const code = await process.ended()
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${process.complaints}${process.lines.join('\n')}`)
  return process.lines.filter((line) => !line.startsWith('> ')).join('\n')
}

/** Starts a command that keeps running, as in a separate terminal. */
async function stays(command: string, isThere: (line: string) => unknown): Promise<void> {
  const process = terminal(command)
  running.push(process)
  await process.said(isThere)
}

function terminal(command: string): HouseProcess {
  const here = command.replaceAll('127.0.0.1:3000', `127.0.0.1:${environment['PORT']}`)
  return new HouseProcess(command, 'bash', ['-c', here], environment, { folder })
}

/** Creates a copy of the repository without ignored files, like a fresh clone with installed packages. */
function cloneInto(folder: string): void {
  const options = { cwd: ROOT, encoding: 'utf8' as const, maxBuffer: 64 << 20 }
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options)
  for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  for (const place of ['node_modules', 'apps/gateway/node_modules', 'apps/e2e/node_modules'])
    if (existsSync(join(ROOT, place))) symlinkSync(join(ROOT, place), join(folder, place))
}
