import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildProgram, buildPrograms, builtProgram, keepProgram } from './built-programs.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-built-programs-'))
  for (const file of ['apps/emulator/src/main.ts', 'libs/sms/src/segment.ts']) write(file, 'console.log("first")\n')
  for (const file of ['package-lock.json', '.repo/built-programs.ts', '.repo/packaging/app-bundle.ts']) write(file, '')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('builds a bundle once, and again after a change', async () => {
  expect(builtProgram('emulator', root)).toBeUndefined()
  const first = await buildProgram('emulator', root)
  expect(first).toMatch(/\/\.cache\/programs\/[0-9a-f]{16}\/emulator\/main\.js$/)
  expect(builtProgram('emulator', root)).toBe(first)
  expect(await buildProgram('emulator', root)).toBe(first)

  write('apps/emulator/src/main.ts', 'console.log("second")\n')
  expect(builtProgram('emulator', root)).toBeUndefined()
  expect(await buildProgram('emulator', root)).not.toBe(first)
})

test.each(['libs/sms/src/segment.ts', 'package-lock.json', '.repo/packaging/app-bundle.ts'])(
  'a changed %s needs another bundle',
  async (file) => {
    await buildProgram('emulator', root)
    utimesSync(join(root, file), 3_000, 3_000)
    expect(builtProgram('emulator', root)).toBeUndefined()
  },
)

test('a removed file needs another bundle, but a changed test does not', async () => {
  const main = await buildProgram('emulator', root)
  write('libs/sms/src/segment.test.ts', '')
  expect(builtProgram('emulator', root)).toBe(main)
  rmSync(join(root, 'libs/sms/src/segment.ts'))
  expect(builtProgram('emulator', root)).toBeUndefined()
})

test('the bundles of a running process are kept until it ends', async () => {
  const user = spawn('sleep', ['60'])
  try {
    const first = await buildProgram('emulator', root)
    keepProgram(first, user.pid)
    write('libs/sms/src/segment.ts', 'second')
    const second = await buildProgram('emulator', root)
    expect(existsSync(first)).toBe(true)

    user.kill()
    await new Promise((resolve) => user.once('exit', resolve))
    write('libs/sms/src/segment.ts', 'the third')
    await buildProgram('emulator', root)
    expect(existsSync(first)).toBe(false)
    expect(existsSync(second)).toBe(false) // the process that needed these programs has ended
  } finally {
    user.kill()
  }
})

test('a change of a source during a build does not make the build fail and does not remove its bundles', async () => {
  const building = buildPrograms(['emulator'], process.pid, root)
  write('libs/sms/src/segment.ts', 'second')
  const { emulator } = await building
  expect(existsSync(emulator)).toBe(true)
  await buildProgram('emulator', root)
  expect(existsSync(emulator)).toBe(true)
})

test.each(['main.js', 'sizes.json'])(
  'a bundle with an empty %s, as after a power failure, is built again',
  async (file) => {
    const main = await buildProgram('emulator', root)
    truncateSync(join(dirname(main), file))
    expect(builtProgram('emulator', root)).toBeUndefined()
    expect(await buildProgram('emulator', root)).toBe(main)
    expect(readFileSync(main, 'utf8')).toContain('first')
    expect(builtProgram('emulator', root)).toBe(main)
  },
)

test('a process that has ended leaves no file behind', async () => {
  const ended = spawn('true')
  await new Promise((resolve) => ended.once('exit', resolve))
  const main = await buildProgram('emulator', root)
  const folder = dirname(dirname(main))
  keepProgram(main, ended.pid)
  keepProgram(main)
  keepProgram(main)
  expect(readdirSync(folder).sort()).toEqual(['emulator', `process-${process.pid}`])
})

test('two concurrent starts build the same bundle, and leave no other files behind', async () => {
  const [one, other] = await Promise.all([buildProgram('emulator', root), buildProgram('emulator', root)])
  expect(one).toBe(other)
  expect(existsSync(one)).toBe(true)
})

test('sources that cannot be bundled cause an error with the file and line', async () => {
  write('apps/emulator/src/main.ts', "import './missing.ts'\n")
  await expect(buildProgram('emulator', root)).rejects.toThrow('apps/emulator/src/main.ts:1')
})

function write(file: string, content: string): void {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
