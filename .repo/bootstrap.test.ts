import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const LOCK = {
  packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0', optional: true } },
}
const INSTALLED = { packages: { 'node_modules/a': { version: '1.0.0' } } }
// Stands for npm: notes that it ran, takes its time, leaves behind what `npm ci` would.
const NPM = `
  const fs = require('node:fs')
  fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n')
  setTimeout(() => {
    fs.mkdirSync('node_modules', { recursive: true })
    fs.writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify(INSTALLED))})
  }, 300)
`

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-bootstrap-'))
  mkdirSync(join(root, '.repo'))
  cpSync(join(import.meta.dirname, 'bootstrap.cjs'), join(root, '.repo/bootstrap.cjs'))
  write('package-lock.json', JSON.stringify(LOCK))
  write('npm.js', NPM)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('hands the exit code on', async () => {
  installed()
  expect(await finished(bootstrap('process.exit(7)'))).toMatchObject({ code: 7 })
  expect(existsSync(join(root, 'npm.log'))).toBe(false)
})

test('hands SIGTERM on and ends as the command ended', async () => {
  installed()
  const child = bootstrap("process.on('SIGTERM', () => process.exit(9)); setInterval(() => 0, 1000); console.log('up')")
  await said(child, 'up')
  child.kill('SIGTERM')
  expect(await finished(child)).toMatchObject({ code: 9 })
})

test('a command that a signal ended gives 128 and its number', async () => {
  installed()
  expect(await finished(bootstrap("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({ code: 137 })
})

test('installs first when nothing is installed, and keeps standard output for the command', async () => {
  const { code, stdout, stderr } = await finished(bootstrap("console.log('ran')"))
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ran\n' })
  expect(stderr).toContain('Installing the dependencies')
  expect(readFileSync(join(root, 'npm.log'), 'utf8')).toBe('ci --no-audit --no-fund --loglevel=error\n')
})

test('installs when a package has another version than the lockfile says', async () => {
  installed({ packages: { 'node_modules/a': { version: '0.9.0' } } })
  await finished(bootstrap(''))
  expect(existsSync(join(root, 'npm.log'))).toBe(true)
})

test('two first starts at once install once', async () => {
  const both = await Promise.all([finished(bootstrap('')), finished(bootstrap(''))])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(readFileSync(join(root, 'npm.log'), 'utf8').trim().split('\n')).toHaveLength(1)
})

test('an installation that was killed does not block the next one', async () => {
  mkdirSync(join(root, '.cache'))
  write('.cache/installing', '999999999')
  expect(await finished(bootstrap(''))).toMatchObject({ code: 0 })
})

test('says what to do when the installation fails, and starts nothing', async () => {
  write('npm.js', 'process.exit(1)')
  const { code, stdout, stderr } = await finished(bootstrap("console.log('ran')"))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('npm ci failed (see above): mend the cause, then run the same command again')
})

test('says what to do when the lockfile is broken or the command does not exist', async () => {
  installed()
  expect((await finished(start(['no-such-command']))).stderr).toContain('smsgw: no-such-command could not be started')
  write('package-lock.json', '{')
  expect((await finished(bootstrap(''))).stderr).toContain('package-lock.json is missing or broken')
})

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text)
}

function installed(what: unknown = INSTALLED): void {
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  write('node_modules/.package-lock.json', JSON.stringify(what))
}

const bootstrap = (code: string) => start(['node', '-e', code])

function start(args: string[]): ChildProcess {
  const env = { ...process.env, npm_execpath: join(root, 'npm.js') }
  return spawn(process.execPath, [join(root, '.repo/bootstrap.cjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function finished(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

function said(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => child.stdout?.on('data', (chunk) => String(chunk).includes(words) && resolve()))
}
