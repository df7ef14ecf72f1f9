import { closeSync, openSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

// Reading a closed pseudo-terminal fails. Only an unplugged real device returns 0 bytes forever, and /dev/null does the
// same.
test('treats a device as disconnected if a read returns 0 bytes, instead of reading in an endless loop', async () => {
  const emulator = await EmulatorProcess.start()
  onTestFinished(() => emulator.stop())
  const port = await unplugSafeBinding.open({ path: emulator.pty, baudRate: 115_200 })
  const descriptor = port as unknown as { fd: number }
  const own = descriptor.fd
  descriptor.fd = openSync('/dev/null', 'r')
  await expect(port.read(Buffer.alloc(16), 0, 16)).rejects.toMatchObject({ disconnect: true })
  closeSync(descriptor.fd)
  descriptor.fd = own
  await port.close()
})
