import { readdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { type OpenPort, openPort } from './open-port.ts'
import { explainSerialError } from './port-error.ts'
import { openSerialPort } from './serial-port.ts'

let emulator: EmulatorProcess
const opened: OpenPort[] = []

beforeAll(async () => {
  emulator = await EmulatorProcess.start(['--chunking', 'whole', '--boot-time', '0'])
})

afterAll(() => emulator.stop())

afterEach(async () => {
  for (const port of opened.splice(0)) await port.close()
})

async function open(address: string): Promise<OpenPort> {
  const port = await openPort(address)
  opened.push(port)
  return port
}

test('finds the rate of a UART before the port is used, and then loses no data', async () => {
  const port = await openSerialPort(emulator.pty, () => true)
  opened.push(port)
  const heard = listen(port)
  port.write(octets('ATE0\r'))
  await heard.until('OK\r\n')
  heard.forget()
  port.write(octets('AT+CGMM\r'))
  await heard.until('OK\r\n')
})

test('reports the loss of a UART that disconnects during the search for its rate', async () => {
  const other = await EmulatorProcess.start(['--boot-time', '0'])
  await other.instruct('set-fault', { modem: 'modem0', fault: 'modem-hang', options: {} })
  const opening = openSerialPort(other.pty, () => true)
  // The search for the rate begins when the port is open, and takes seconds.
  await expect.poll(() => isOpenHere(other.pty)).toBe(true)
  await other.stop()
  const port = await opening
  opened.push(port)
  await new Promise<string>((resolve) => port.onClosed(resolve))
})

test('transfers every octet unchanged in both directions', async () => {
  const port = await open(emulator.pty)
  const heard = listen(port)
  port.write(octets('ATE1\r'))
  await heard.until('OK\r\n')
  // The modem echoes all data, so every octet is transferred in both directions.
  const all = Uint8Array.from({ length: 256 }, (_, octet) => octet)
  heard.forget()
  port.write(all)
  await heard.until(String.fromCharCode(...all))
  port.write(octets('\rATE0\r'))
  await heard.until('OK\r\n')
})

test('opens a relative path', async () => {
  const port = await open(`./${relative('.', emulator.pty)}`)
  const heard = listen(port)
  port.write(octets('AT\r'))
  await heard.until('OK\r\n')
})

test('opens a port again right after it was closed', async () => {
  const first = await open(emulator.pty)
  await first.close()
  const again = await open(emulator.pty)
  const heard = listen(again)
  again.write(octets('AT\r'))
  await heard.until('OK\r\n')
})

describe('when the modem is unplugged', () => {
  test('reports the loss once, uses no CPU afterwards, and ignores writes', async () => {
    const port = await open(emulator.pty)
    const reasons: string[] = []
    port.onBytes(() => undefined)
    const lost = new Promise<void>((resolve) => {
      port.onClosed((reason) => {
        reasons.push(reason)
        resolve()
      })
    })
    await emulator.instruct('unplug', { modem: 'modem0', forMs: 300 })
    await lost
    expect(reasons).toEqual([expect.stringContaining('device disconnected')])
    const before = process.cpuUsage()
    const startMs = performance.now()
    await new Promise((resolve) => setTimeout(resolve, 600))
    const { user, system } = process.cpuUsage(before)
    // A loop that reads a hung-up device would keep a processor core busy.
    expect((user + system) / 1000).toBeLessThan((performance.now() - startMs) / 2)
    expect(() => port.write(octets('AT\r'))).not.toThrow()
    await port.close()
    expect(reasons).toHaveLength(1)
  })

  test('the port opens under the same name when the modem is connected again', async () => {
    const port = await open(emulator.pty)
    port.onBytes(() => undefined)
    const lost = new Promise((resolve) => port.onClosed(resolve))
    await emulator.instruct('unplug', { modem: 'modem0', forMs: 100 })
    await lost
    await expect.poll(() => openPort(emulator.pty).then((port) => opened.push(port))).toBeGreaterThan(0)
    const back = opened.at(-1) as OpenPort
    const heard = listen(back)
    // A booting modem does not answer for a while.
    await expect
      .poll(
        () => {
          back.write(octets('AT\r'))
          return heard.text
        },
        { timeout: 90_000, interval: 200 },
      )
      .toContain('OK\r\n')
  })
})

describe('the error of a port that cannot be opened describes the solution', () => {
  test('names the missing device', async () => {
    await expect(openPort('/dev/ttyUSB97')).rejects.toThrow(
      '/dev/ttyUSB97: no such device: check that the modem is plugged in',
    )
  })

  test('describes a device that is not a serial port', async () => {
    const file = join(emulator.folder, 'notes.txt')
    writeFileSync(file, 'no modem')
    await expect(openPort(file)).rejects.toThrow(`${file}: not a serial port: name a device such as /dev/ttyUSB2`)
  })

  test('describes a port that another program uses', async () => {
    await open(emulator.pty)
    await expect(openPort(emulator.pty)).rejects.toThrow(`${emulator.pty}: another program uses this port`)
  })

  // Root may open every device, so this test uses the error messages of the binding instead.
  test.each([
    ['Error: Permission denied, cannot open /dev/ttyUSB0', 'no permission: add the user to the group "dialout"'],
    ['Error Resource temporarily unavailable Cannot lock port', 'another program uses this port (often ModemManager)'],
    ['Error: No such file or directory, cannot open /dev/ttyUSB0', 'no such device'],
    ['Error: Inappropriate ioctl for device, cannot open /dev/sda', 'not a serial port'],
    ['Error: Input/output error', 'cannot be opened (Error: Input/output error)'],
  ])('%s', (message, words) => {
    expect(explainSerialError(new Error(message)).explanation).toContain(words)
  })
})

function octets(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

function listen(port: OpenPort) {
  const heard = {
    text: '',
    forget() {
      heard.text = ''
    },
    until: (wanted: string) => expect.poll(() => heard.text, { interval: 5 }).toContain(wanted),
  }
  port.onBytes((bytes) => {
    heard.text += String.fromCharCode(...bytes)
  })
  return heard
}

/** True if this process has the device open. */
function isOpenHere(path: string): boolean {
  const device = realpathSync(path)
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === device
    } catch {
      return false
    }
  })
}
