import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAgentConfig } from '../config.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { inThisProcess } from '../link/in-process-socket.ts'
import { AgentFixture } from '../testing/agent-fixture.ts'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { examine } from './examine.ts'
import { type Finding, warnFinding } from './finding.ts'
import type { ExaminationLimits } from './modems-alone.ts'
import { supportBundle } from './support-bundle.ts'

const ownNumber = '+447700900123'
const imei = '490154203237518'
const iccid = '8944100012345678906'
const imsi = '234150123456789'

/** Short limits, because the port of these tests does not exist. */
const briefly: ExaminationLimits = { modemsMs: 90_000, absentMs: 100 }

let folder: string
let emulator: EmulatorProcess | undefined
let fixture: AgentFixture | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-doctor-'))
})

afterEach(async () => {
  await fixture?.dispose()
  await emulator?.stop()
  fixture = undefined
  emulator = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function plugIn(more: Readonly<Record<string, string>> = {}): Promise<EmulatorProcess> {
  emulator = await EmulatorProcess.start([], { number: ownNumber, imei, iccid, imsi, ...more })
  return emulator
}

async function examined(settings: Readonly<Record<string, string>>, limits?: ExaminationLimits) {
  const config = readAgentConfig({ DATA_DIR: folder, ...settings })
  const reported: Finding[] = []
  const examination = await examine(config, (finding) => void reported.push(finding), limits)
  expect(reported).toEqual(examination.findings)
  return {
    config,
    examination,
    find: (subject: string) => reported.find((finding) => finding.subject.startsWith(subject)),
  }
}

test('without a running agent, examines the modems itself and locks the data folder', async () => {
  const { pty } = await plugIn()
  const { find } = await examined({ MODEMS: pty })
  expect(find('agent')).toMatchObject({ level: 'warn', text: 'not running with this DATA_DIR' })
  expect(find(`port ${pty}`)).toMatchObject({ level: 'ok' })
  expect(find('SIM 1, modem')).toMatchObject({ level: 'ok', text: expect.stringContaining('Quectel EC25') })
  expect(find('SIM 1, card')).toMatchObject({ level: 'ok', text: expect.stringContaining('3 PIN attempts left') })
  expect(find('SIM 1, network')).toMatchObject({ level: 'ok', text: expect.stringContaining('home') })
  expect(find('SIM 1, service centre')).toMatchObject({ level: 'ok' })
  expect(find('relay')).toMatchObject({ level: 'fail', text: 'not paired with a relay' })
})

test('does not check the relay of a gateway, which is in the same process', async () => {
  AgentIdentity.load(join(folder, identityFile)).keep({ url: inThisProcess, deviceId: 'built in' })
  const { find } = await examined({ MODEMS: join(folder, 'nothing') }, briefly)
  expect(find('relay')).toMatchObject({ level: 'ok' })
})

test('reports a SIM that needs its PIN, without using up an attempt', async () => {
  const { pty } = await plugIn({ pin: '4321' })
  const settings = { MODEMS: pty, SIM_1_PIN: '9999' }
  expect((await examined(settings)).find('SIM 1, modem')).toMatchObject({
    level: 'fail',
    advice: expect.stringContaining('PIN'),
  })
  const response = await fetch(`${emulator?.control}/modems/modem0`)
  expect(await response.text()).not.toMatch(/"pinAttemptsLeft":[0-2]\b/)
})

test('reports what to do about a missing port and an unreachable relay', async () => {
  const settings = {
    MODEMS: join(folder, 'nothing'),
    RELAY_URL: 'ws://127.0.0.1:9',
    ENROLMENT_TOKEN: 'x'.repeat(32),
  }
  const { find } = await examined(settings, briefly)
  expect(find(`port ${folder}`)).toMatchObject({
    level: 'fail',
    text: 'not found',
    advice: expect.stringContaining('plugged in'),
  })
  expect(find('relay')).toMatchObject({ level: 'fail', text: expect.stringContaining('connection refused') })
})

test('asks a running agent about its modems without interrupting it', async () => {
  const { pty } = await plugIn()
  fixture = new AgentFixture()
  await fixture.start([pty])
  await fixture.ready()
  const { find } = await examined({ DATA_DIR: fixture.dataDir, MODEMS: pty })
  expect(find('agent')).toMatchObject({ level: 'ok', text: expect.stringContaining(String(process.pid)) })
  expect(find('SIM 1, card')).toMatchObject({ level: 'ok', text: expect.stringContaining('3 PIN attempts') })
  expect(find('SIM 1, own number')).toMatchObject({ level: 'ok' })
  expect(find('link')).toMatchObject({ level: 'ok', text: 'connected as device device-1' })
  expect(fixture.agent?.status().modems[0]?.state).toBe('ready')
})

test('the support bundle contains diagnostics, but no numbers, texts or secrets', async () => {
  const { pty } = await plugIn({ pin: '4321' })
  fixture = new AgentFixture()
  const secrets = { ENROLMENT_TOKEN: 'token-of-the-fleet-0123456789abcdef', ENCRYPTION_PASSPHRASE: 'open sesame' }
  await fixture.start([pty], { pin: '4321' })
  await fixture.ready()
  fixture.relay.send('c1', '+4915112345678', 'the eagle has landed')
  await fixture.relay.heard('sent', { cmdId: 'c1' })
  await emulator?.instruct('send-text', { from: '+4917098765432', to: 'modem0', text: 'the fox is in the henhouse' })
  await fixture.relay.heard('received', { text: 'the fox is in the henhouse' })
  const { config, examination } = await examined({
    DATA_DIR: fixture.dataDir,
    MODEMS: pty,
    SIM_1_PIN: '4321',
    SIM_1_NUMBER: ownNumber,
    DEVICE_NAME: 'kitchen of Ada',
    ...secrets,
  })
  // A finding that contains a secret, as if its masking was forgotten.
  const slip = warnFinding('a slip', `${secrets.ENROLMENT_TOKEN} of ${ownNumber}, ${imei}`, config.DEVICE_NAME)
  const slipped = { ...examination, findings: [...examination.findings, slip] }
  const bundle = await supportBundle(slipped, config, new Date())
  expect(bundle).toContain('Quectel')
  expect(bundle).toContain('AT+CMGS=')
  const key = JSON.parse(readFileSync(join(fixture.dataDir, 'agent-identity.json'), 'utf8')).privateKey as string
  const hidden = [ownNumber, '15112345678', '17098765432', imei, iccid, imsi, 'eagle', 'fox', 'kitchen', '4321']
  const inHex = ['eagle', 'fox'].map((word) => Buffer.from(word).toString('hex'))
  const swapped = (number: string) => number.replace(/(.)(.)/g, '$2$1')
  for (const word of [
    ...hidden,
    ...inHex,
    ...Object.values(secrets),
    swapped('4915112345678F'),
    swapped('4917098765432F'),
    key.split('\n')[1] ?? '',
  ]) {
    expect(bundle.toLowerCase().includes(word.toLowerCase()), word).toBe(false)
  }
})

test('does not examine modems if another process holds the data folder', async () => {
  mkdirSync(join(folder, 'x'))
  const { pty } = await plugIn()
  const { takeDataFolder } = await import('@smsgw/daemon/files/data-folder')
  const held = takeDataFolder(folder)
  const { find, examination } = await examined({ MODEMS: pty })
  expect(find('agent')).toMatchObject({ level: 'warn', text: expect.stringContaining(`process ${process.pid} holds`) })
  expect(examination.modems).toEqual([])
  held.release()
})
