import { closeSync, openSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

// A pseudo-terminal whose other end goes away answers with an error; only a real device that is pulled out answers with
// nothing, for ever. /dev/null does as well.
test('a device that answers every read with nothing is taken for gone, instead of being read without end', async () => {
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
}, 30_000)
