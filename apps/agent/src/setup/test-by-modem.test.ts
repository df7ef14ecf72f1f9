import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ModemsAlone } from '../doctor/modems-alone.ts'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { TestByModem } from './test-by-modem.ts'

test.each([
  ['a modem with AT commands', 'quectel-ec25'],
  ['a HiLink stick, which takes whole texts', 'huawei-hilink'],
])('sends the test message with %s, and finds the reply', async (_name, personality) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'smsgw-setup-'))
  const emulator = await EmulatorProcess.start(['--boot-time', '0'], { personality, number: '+447700900001' })
  const wanted = { auto: false, addresses: [emulator.tcp] }
  const modems = await ModemsAlone.open({ dataDir, wanted, phoneNumberOf: () => undefined })
  try {
    const [examined] = await modems.examine({ modemsMs: 60_000, absentMs: 30_000 })
    expect(examined?.isReady).toBe(true)
    const messages = new TestByModem(modems, emulator.tcp)
    expect(await messages.send('+447400123456', 'Test message')).toBeUndefined()
    await emulator.instruct('send-text', { from: '+447400123456', to: 'modem0', text: 'Reply' })
    expect(await messages.awaitReply('+447400123456', 30_000)).toBe('Reply')
  } finally {
    await modems.close()
    await emulator.stop()
    rmSync(dataDir, { recursive: true })
  }
})
