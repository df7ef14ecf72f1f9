import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadPosix, type Posix } from './posix.ts'
import { PtyHost } from './pty-host.ts'
import { StableLink } from './stable-link.ts'

let folder = ''
let posix: Posix
let received = ''
const opened: number[] = []
const hosts: PtyHost[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pty-'))
  posix = await loadPosix()
  received = ''
})
afterEach(async () => {
  for (const fd of opened.splice(0)) closeSync(fd)
  for (const host of hosts.splice(0)) await host.close()
  rmSync(folder, { recursive: true })
})

function serve(path = join(folder, 'modem0')): PtyHost {
  const host = new PtyHost({
    link: StableLink.claim(path, posix),
    posix,
    receive: (bytes) => {
      received += Buffer.from(bytes).toString('latin1')
    },
    onError: (error) => {
      throw error
    },
  })
  hosts.push(host)
  return host
}

/** Opens the port as a program does. */
function open(path: string): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
  opened.push(fd)
  return fd
}

async function readText(fd: number, length: number): Promise<string> {
  let text = ''
  while (text.length < length) {
    const more = readNow(fd)
    if (more === '') await delay(2)
    text += more
  }
  return text
}

/** Returns an empty string if there is nothing to read. */
function readNow(fd: number): string {
  const buffer = Buffer.alloc(65_536)
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    return ''
  }
}

function writeFailure(fd: number): string | undefined {
  try {
    writeSync(fd, 'AT\r')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(2)
}

test('passes all bytes unchanged in both directions', async () => {
  const host = serve()
  const fd = open(host.address)
  const every = Uint8Array.from({ length: 256 }, (_, octet) => octet)
  writeSync(fd, every)
  await until(() => received.length >= 256)
  expect(received).toBe(Buffer.from(every).toString('latin1'))
  host.send(every)
  expect(await readText(fd, 256)).toBe(Buffer.from(every).toString('latin1'))
})

test('lets another program open the port after the first program has closed it', async () => {
  const host = serve()
  closeSync(openSync(host.address, constants.O_RDWR | constants.O_NOCTTY))
  await delay(20)
  const fd = open(host.address)
  writeSync(fd, 'AT\r')
  await until(() => received === 'AT\r')
  expect(received).toBe('AT\r')
})

test('removes the link on unplug, and a program that has the port open gets an error', async () => {
  const host = serve()
  const fd = open(host.address)
  host.takeAway()
  expect(existsSync(host.address)).toBe(false)
  await expect.poll(() => writeFailure(fd)).toBe('EIO')
  host.send(Uint8Array.of(65))
  expect(host.describe()).toBe('unplugged')
})

test('restores the same link on plug', async () => {
  const host = serve()
  host.takeAway()
  host.bringBack({ renumbered: false })
  const fd = open(host.address)
  writeSync(fd, 'ATI\r')
  await until(() => received === 'ATI\r')
  host.send(Buffer.from('OK'))
  expect(await readText(fd, 2)).toBe('OK')
})

test('points the link to another device when the device gets another number', () => {
  const host = serve()
  const before = readlinkSync(host.address)
  host.takeAway()
  host.bringBack({ renumbered: true })
  expect(readlinkSync(host.address)).not.toBe(before)
})

test('keeps output for a slow program, complete and in order', async () => {
  const host = serve()
  const fd = open(host.address)
  const listing = Array.from({ length: 20_000 }, (_, index) => `${index}\r\n`).join('')
  host.send(Buffer.from(listing))
  await delay(50)
  expect(await readText(fd, listing.length)).toBe(listing)
})

test('limits memory for a program that never reads, and answers the next program', async () => {
  const host = serve()
  const chunk = Buffer.alloc(10_000, 0x55)
  for (let index = 0; index < 200; index++) host.send(chunk)
  const fd = open(host.address)
  let kept = 0
  // The port sends output at least every 16 ms. So after this many empty reads, nothing is left.
  for (let emptyReads = 0; emptyReads < 100; emptyReads += 1) {
    const { length } = readNow(fd)
    if (length > 0) emptyReads = 0
    kept += length
    await delay(2)
  }
  expect(kept).toBeLessThan(400_000)
  host.send(Buffer.from('OK'))
  expect(await readText(fd, 2)).toBe('OK')
})

test('removes link and lock on close', async () => {
  const host = serve()
  await host.close()
  hosts.pop()
  expect(existsSync(host.address)).toBe(false)
  expect(existsSync(join(folder, '.modem0.lock'))).toBe(false)
})

test('keeps an existing file at the link path, and reports the file', () => {
  const path = join(folder, 'modem0')
  writeFileSync(path, 'precious')
  expect(() => serve(path)).toThrow(`pty: ${path} exists and is not a link of the emulator`)
  expect(lstatSync(path).isFile()).toBe(true)
})

test('refuses a link of another emulator, and reports its process', () => {
  const host = serve()
  expect(() => serve(host.address)).toThrow(`is served by another emulator (process ${process.pid})`)
  expect(existsSync(host.address)).toBe(true)
})

test('stops the start with one line when the folder cannot be created', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => serve(join(folder, 'file', 'modem0'))).toThrow(/^pty: cannot create .*modem0: .*choose another/)
})
