import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { Gateway, placeGatewayDatabase } from './house/gateway.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { asOrdinaryUser, makeOwnFolder } from './house/machine/ordinary-user.ts'
import { HouseProcess } from './house/machine/process.ts'
import { TerminalProcess } from './house/machine/terminal-process.ts'

const PHONE = '+447400123456'
const NUMBER = '+447700900123'

let folder: string
let emulator: Emulator | undefined
let terminal: TerminalProcess | undefined
let gateway: Gateway | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-setup-'))
  chmodSync(folder, 0o755)
})

afterEach(async () => {
  await terminal?.stop()
  await gateway?.stop()
  await emulator?.process.stop()
  terminal = gateway = emulator = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function plugIn(more: Readonly<Record<string, string>> = {}): Promise<Emulator> {
  emulator = await Emulator.start(folder, [{ number: NUMBER, ...more }])
  return emulator
}

function setup(
  args: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
  as: readonly string[] = [],
  main = mainScripts.smsgw,
): TerminalProcess {
  const own = { DATA_DIR: join(folder, 'data'), MODEMS: emulator?.pty() ?? 'auto' }
  terminal = new TerminalProcess(main, ['setup', ...args], { ...own, ...settings }, { as })
  return terminal
}

/** The phone of the user replies to the test message. */
async function reply(text: string): Promise<void> {
  await eventually(
    () => emulator?.ledger() ?? [],
    (ledger) => ledger.some(({ destination }) => destination === PHONE),
  )
  await emulator?.instruct('send-text', { from: PHONE, to: 'modem0', text })
}

test('without a gateway: finds the modem, sends a test message and shows the reply', async () => {
  await plugIn()
  const user = setup()
  await user.answer('Your phone number for a test message', '07400 123456')
  await user.answer('not a phone number in the international format', '+44 7400 123456')
  await user.shows('Reply to the message on the phone')
  await reply('It works 🙂')
  await user.shows('received: It works 🙂')
  await user.shows('\x1b[32m✔ Quectel EC25 sends and receives')
  expect(await user.ended()).toBe(0)
})

test('unlocks a SIM: shows the attempts left, hides the PIN, and saves only the correct PIN', async () => {
  const { control } = await plugIn({ pin: '4321' })
  const user = setup(['--no-test'])
  await user.shows('3 attempts are left')
  await user.answer('PIN of the SIM', '432')
  await user.answer('PIN of the SIM', '9876')
  await user.shows('The SIM refused')
  await user.shows('2 attempts are left')
  await user.answer('PIN of the SIM', '4321')
  await user.shows('SIM unlocked')
  await user.shows('✔')
  expect(await user.ended()).toBe(0)
  // Longer numbers, such as ports, may contain the same digits as the PIN.
  expect(user.screen).not.toMatch(/\b(?:4321|9876)\b/)
  const saved = join(folder, 'data/sim-pins.json')
  expect(JSON.parse(readFileSync(saved, 'utf8'))).toEqual({ 1: '4321' })
  expect(statSync(saved).mode & 0o777).toBe(0o600)

  await emulator?.instruct('reboot', { modem: 'modem0' })
  placeGatewayDatabase(join(folder, 'data'))
  gateway = await Gateway.start({ MODEMS: emulator?.pty() ?? '' }, { folder: join(folder, 'data') })
  await gateway.untilReady()
  expect(await (await fetch(`${control}/modems/modem0`)).text()).not.toMatch(/"pinAttemptsLeft":[0-2]\b/)
})

test('never uses the last PIN attempt', async () => {
  const { control } = await plugIn({ pin: '4321' })
  const user = setup(['--no-test'])
  await user.answer('PIN of the SIM', '1111')
  await user.shows('2 attempts are left')
  await user.answer('PIN of the SIM', '2222')
  await user.shows('✘')
  await user.shows('What to do:')
  expect(await user.ended()).toBe(1)
  expect(existsSync(join(folder, 'data/sim-pins.json'))).toBe(false)
  expect(await (await fetch(`${control}/modems/modem0`)).text()).toMatch(/"pinAttemptsLeft":1\b/)
})

test('without a terminal, reads the answers from options and settings', async () => {
  await plugIn({ pin: '4321' })
  const settings = { DATA_DIR: join(folder, 'data'), MODEMS: emulator?.pty() ?? '' }
  const run = (more: Readonly<Record<string, string>>) =>
    new HouseProcess('setup', mainScripts.smsgw, ['setup', '--to', PHONE, '--reply-wait', '0'], {
      ...settings,
      ...more,
    })
  const locked = run({})
  await locked.said((line) => line.startsWith('  What to do: ') || undefined)
  expect(await locked.ended()).toBe(1)
  const unlocking = run({ SIM_1_PIN: '4321' })
  await unlocking.said((line) => line === '✔ Quectel EC25 can send; setup did not wait for a reply' || undefined)
  expect(await unlocking.ended()).toBe(0)
  expect(emulator?.ledger()).toMatchObject([{ destination: PHONE }])
})

test('without a modem, asks the user to plug in a modem', async () => {
  const user = setup()
  await user.shows('✘ modems: no USB modem found')
  await user.shows('What to do: plug one in')
  expect(await user.ended()).toBe(1)
})

// Runs only as root, because only root can assign the port to another group.
test.runIf(process.getuid?.() === 0)(
  'without access to the port, offers the command that gives access, and runs nothing without consent',
  async () => {
    await plugIn()
    const port = realpathSync(emulator?.pty() ?? '')
    chownSync(port, 0, 0)
    chmodSync(port, 0o660)
    makeOwnFolder(join(folder, 'data'))
    // Only root can read the bundles.
    const user = setup([], {}, asOrdinaryUser, 'apps/gateway/src/smsgw/main.ts')
    await user.shows('no access')
    await user.shows('usermod -aG root')
    await user.answer('Run this? [y/N]', 'n')
    await user.shows('not run')
    await user.shows('✘')
    await user.shows('What to do: no permission')
    expect(await user.ended()).toBe(1)
  },
)

test('without a network, shows what to check', async () => {
  await plugIn()
  await emulator?.instruct('set-coverage', { to: 'modem0', stat: 2 })
  const user = setup(['--network-wait', '5'])
  await user.shows('✘ SIM 1, network: not registered')
  await user.shows('What to do: check antenna and coverage')
  expect(await user.ended()).toBe(1)
})

test('without a reply, shows what to do, and does not delete the message of another phone', async () => {
  await plugIn()
  const user = setup(['--to', PHONE, '--reply-wait', '5'])
  await user.shows('Reply to the message on the phone')
  await emulator?.instruct('send-text', { from: '+447400999999', to: 'modem0', text: 'from somebody else' })
  await user.shows(`✘ the test message was sent, but no reply from ${PHONE} has arrived`)
  await user.shows('What to do:')
  expect(await user.ended()).toBe(1)
})

test('while a gateway is running, unlocks the SIM and tests it through the API', async () => {
  await plugIn({ pin: '4321' })
  gateway = await Gateway.start({ MODEMS: emulator?.pty() ?? '' })
  const user = setup(['--to', PHONE], { DATA_DIR: gateway.folder, PORT: new URL(gateway.url).port })
  await user.answer('PIN of the SIM', '4321')
  await user.shows('The PIN is saved')
  await user.shows('Reply to the message on the phone')
  await reply('Through the gateway')
  await user.shows('received: Through the gateway')
  await user.shows('✔')
  expect(await user.ended()).toBe(0)
  expect((await gateway.api.ask('GET', '/messages')).json).toMatchObject([
    { state: expect.stringMatching(/Sent|Delivered/) },
  ])
  expect((await gateway.api.ask('GET', '/inbox')).json).toMatchObject([{ sender: PHONE }])
  expect(readFileSync(join(gateway.folder, 'sim-pins.json'), 'utf8')).toContain('4321')
  expect(gateway.process.lines.join('\n')).not.toMatch(/\b4321\b/)
})
