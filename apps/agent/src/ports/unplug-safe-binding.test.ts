import { closeSync, openSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

// An unplugged device returns 0 bytes for every read. A pseudo-terminal cannot imitate this, because reading a closed
// pseudo-terminal fails. So the test reads /dev/null, which also returns 0 bytes.
test('treats a device as disconnected if a read returns 0 bytes, instead of reading in an endless loop', async () => {
  const emulator = await EmulatorProcess.start()
  onTestFinished(() => emulator.stop())
  const port = await unplugSafeBinding.open({ path: emulator.pty, baudRate: 115_200 })
  // The answer makes the port readable.
  await port.write(Buffer.from('AT\r'))
  const descriptor = port as unknown as { fd: number }
  const own = descriptor.fd
  descriptor.fd = openSync('/dev/null', 'r')
  await expect(port.read(Buffer.alloc(16), 0, 16)).rejects.toMatchObject({ disconnect: true })
  closeSync(descriptor.fd)
  descriptor.fd = own
  await port.close()
})

test('writes everything to a port that takes only a part at once', async () => {
  const emulator = await EmulatorProcess.start(['--boot-time', '0', '--chunking', 'whole'])
  onTestFinished(() => emulator.stop())
  const port = await unplugSafeBinding.open({ path: emulator.pty, baudRate: 115_200 })
  // More than the buffer of a pseudo-terminal. The modem executes each line.
  const lines = 4_000
  let answers = ''
  const read = async () => {
    const buffer = Buffer.alloc(65_536)
    while (answers.split('OK').length <= lines) {
      const { bytesRead } = await port.read(buffer, 0, buffer.length)
      answers += buffer.toString('latin1', 0, bytesRead)
    }
  }
  const reading = read()
  await port.write(Buffer.from('ATE0\r'.repeat(lines)))
  await reading
  expect(answers.split('OK')).toHaveLength(lines + 1)
  await port.close()
})
