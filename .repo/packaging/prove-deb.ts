import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { architectureOf } from './app-bundle.ts'
import { buildDeb } from './build-deb.ts'
import { InstalledService } from './installed-service.ts'
import { ProofSteps } from './proof-steps.ts'

/**
 * Installs, uses, upgrades, removes and purges the package. Runs as root, on a Debian where the package is not
 * installed. Does not need systemd, because the proof starts services with the commands in their units.
 */
export async function proveDeb(options: { readonly version: string; readonly built: string }): Promise<ProofSteps> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-prove-'))
  const proof = new ProofSteps('the package')
  const build = (version: string) =>
    buildDeb({ ...options, version, architecture: architectureOf(process.arch), into: folder, compression: 0 })
  try {
    await proof.step('is built', () => build(options.version))
    await proof.step('is installed, with its user, settings and folders', () => installs(folder, options.version))
    await proof.step('has units that systemd accepts', verifiesUnits)
    await proof.step('starts the gateway as its unit describes, and sends a message', gatewaySends)
    await proof.step('connects an agent to a relay, both according to their units', agentJoins)
    await proof.step('keeps settings and messages during an upgrade', () => upgrades(build('999.0.0')))
    await proof.step('keeps settings and data when it is removed', removes)
    await proof.step('leaves nothing when it is purged', purges)
  } finally {
    await InstalledService.stopAll()
    spawnSync('dpkg', ['--purge', '--force-all', 'smsgw'], { stdio: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  }
  return proof
}

/** Returns why the package cannot be tested on this machine; undefined if it can be tested. */
export function obstacleToProof(): string | undefined {
  if (process.getuid?.() !== 0) return 'the test must run as root'
  for (const command of ['dpkg', 'adduser', 'setpriv', 'systemd-analyze']) {
    if (spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0) return `${command} is not installed`
  }
  if (existsSync('/usr/bin/smsgw') || existsSync('/var/lib/smsgw')) return 'smsgw is already installed on this machine'
  if (existsSync('/run/systemd/system'))
    return 'run the test in a container, because it would start services on this machine'
  return undefined
}

const SETTINGS = '/etc/smsgw/gateway.env'
const API = 'http://127.0.0.1:3999/3rdparty/v1'

function installs(folder: string, version: string): void {
  run(
    'dpkg',
    '--install',
    join(folder, `smsgw_${version}_${architectureOf(process.arch) === 'x64' ? 'amd64' : 'arm64'}.deb`),
  )
  expectSame('its user', run('id', '-nG', 'smsgw').trim(), 'smsgw dialout')
  expectSame('mode of settings', statSync(SETTINGS).mode & 0o777, 0o640)
  expectSame('mode of the secret', statSync('/var/lib/smsgw/relay/server-secret').mode & 0o777, 0o600)
  expectSame('the version', run('smsgw', '--version').trim(), version)
  const mistyped = spawnSync('smsgw', ['gatewya'], { encoding: 'utf8' })
  expectSame('exit code of a mistyped command', mistyped.status, 2)
  expectSame(
    'for a mistyped command, smsgw suggests the most similar command',
    mistyped.stderr.includes('did you mean gateway?'),
    true,
  )
  expectSame('completion of bash', run('smsgw', 'completion', 'bash').includes('ignore-modems'), true)
  for (const app of ['gateway', 'agent', 'relay', 'bridge']) {
    const help = run('smsgw', app, '--help')
    expectSame(
      `the help of ${app} shows the installed commands`,
      /sudo smsgw/.test(help) && !help.includes('npm'),
      true,
    )
  }
  const complaint = complaintOf('smsgw', 'gateway', 'status')
  expectSame('the error says how to start the gateway', complaint.includes('sudo systemctl start smsgw-gateway'), true)
}

function verifiesUnits(): void {
  const units = ['gateway', 'agent', 'relay', 'bridge', 'router'].map(
    (app) => `/usr/lib/systemd/system/smsgw-${app}.service`,
  )
  const { stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
  const complaints = stderr.split('\n').filter((line) => line.includes('smsgw'))
  expectSame('warnings of systemd', complaints.join('\n'), '')
}

async function gatewaySends(): Promise<void> {
  appendFileSync(SETTINGS, 'PORT=3999\nMODEMS=virtual\n')
  const gateway = InstalledService.start('gateway')
  await gateway.untilAnswers(`${API.replace('/3rdparty/v1', '')}/health/ready`)
  expectSame('the user of the process', gateway.user(), 'smsgw')
  await delivered(await send('Before the upgrade'))
  run('smsgw', 'gateway', 'status')
  run('smsgw', 'gateway', 'doctor')
  await gateway.stop()
}

async function agentJoins(): Promise<void> {
  appendFileSync('/etc/smsgw/relay.env', 'PORT=3998\nADMIN_USERNAME=sms\nADMIN_PASSWORD=tea at half past four\n')
  const relay = InstalledService.start('relay')
  await relay.untilAnswers('http://127.0.0.1:3998/health/ready')
  run('smsgw', 'relay', 'accounts', 'list')
  const authorization = `Basic ${Buffer.from('sms:tea at half past four').toString('base64')}`
  const ask = async (method: string, path: string) =>
    (await fetch(`http://127.0.0.1:3998/3rdparty/v1${path}`, { method, headers: { authorization } })).json()
  const { code } = (await ask('POST', '/devices/codes')) as { code: string }
  run('smsgw', 'agent', 'pair', 'ws://127.0.0.1:3998', code)
  const agent = InstalledService.start('agent')
  await eventually('the agent is online', async () => {
    const devices = (await ask('GET', '/devices')) as { online: boolean }[]
    return devices.some(({ online }) => online)
  })
  run('smsgw', 'agent', 'status')
  await agent.stop()
  await relay.stop()
}

async function upgrades(file: string): Promise<void> {
  run('dpkg', '--install', file)
  expectSame('the version', run('smsgw', '--version').trim(), '999.0.0')
  expectSame('settings are kept', readFileSync(SETTINGS, 'utf8').includes('PORT=3999'), true)
  const gateway = InstalledService.start('gateway')
  await gateway.untilAnswers(`${API.replace('/3rdparty/v1', '')}/health/ready`)
  expectSame('messages are kept', ((await ask('GET', '/messages')) as unknown[]).length, 1)
  await gateway.stop()
}

function removes(): void {
  run('dpkg', '--remove', 'smsgw')
  expectSame('the program is gone', existsSync('/usr/lib/smsgw'), false)
  expectSame('settings stay', existsSync(SETTINGS), true)
  expectSame('data stay', existsSync('/var/lib/smsgw/gateway/credentials.json'), true)
}

function purges(): void {
  run('dpkg', '--purge', 'smsgw')
  for (const place of ['/etc/smsgw', '/var/lib/smsgw']) expectSame(`${place} is there`, existsSync(place), false)
  expectSame('the user is there', spawnSync('id', ['smsgw']).status === 0, false)
}

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const authorization = `Basic ${Buffer.from(run('smsgw', 'password').trim()).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/json' }
  return (await fetch(`${API}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json()
}

async function send(text: string): Promise<string> {
  const answer = await ask('POST', '/messages', { phoneNumbers: ['+447400123456'], textMessage: { text } })
  return (answer as { id: string }).id
}

async function delivered(id: string): Promise<void> {
  await eventually(`message ${id} is delivered`, async () => {
    return ((await ask('GET', `/messages/${id}`)) as { state: string }).state === 'Delivered'
  })
}

async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const until = performance.now() + 60_000; !(await isSo()); await sleep(200)) {
    if (performance.now() > until) throw new Error(`did not happen within a minute: ${what}`)
  }
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function complaintOf(command: string, ...args: string[]): string {
  return spawnSync(command, args, { encoding: 'utf8' }).stderr
}

function expectSame<T>(what: string, found: T, wanted: T): void {
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`)
}
