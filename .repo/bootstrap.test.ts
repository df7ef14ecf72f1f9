import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'

const OWN_NODE = `node-${process.platform}-${process.arch}`
const HERE = { optional: true, os: [process.platform], cpu: [process.arch] }
const LOCK = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/elsewhere': { version: '2.0.0', optional: true, os: ['sunos'], cpu: [process.arch] },
    'node_modules/part-of-elsewhere': { version: '2.0.0', optional: true },
  },
}
const NATIVE = { ...LOCK.packages, 'node_modules/native': { version: '3.0.0', ...HERE } }
const UP = "process.on('SIGTERM', () => process.exit(9)); process.on('SIGINT', () => process.exit(8));"

let root: string
let children: ChildProcess[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-bootstrap-'))
  children = []
  for (const part of ['bootstrap.cjs', 'bootstrap'])
    cpSync(join(import.meta.dirname, part), join(root, '.repo', part), { recursive: true })
  write('package-lock.json', JSON.stringify(LOCK))
  write('npm-cli.js', npmThatInstalls(`a: '1.0.0'`))
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

test('exits with the code of the command', async () => {
  installed()
  expect(await finished(bootstrap('process.exit(7)'))).toMatchObject({ code: 7 })
  expect(npmRuns()).toEqual([])
})

test.each([
  ['SIGTERM', 9],
  ['SIGINT', 8],
] as const)('forwards %s and ends like the command', async (signal, code) => {
  installed()
  const child = bootstrap(`${UP} setInterval(() => 0, 1000); console.log('up')`)
  await said(child.stdout, 'up')
  child.kill(signal)
  expect(await finished(child)).toMatchObject({ code })
})

test('exits with 128 plus the signal that ended the command', async () => {
  installed()
  expect(await finished(bootstrap("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({ code: 137 })
})

test('ends the command when the shell that npm started is killed', async () => {
  installed()
  const code = `${UP} setInterval(() => 0, 1000); process.on('exit', () => console.log('down')); console.log('up')`
  write('command.cjs', code)
  // `true` is a second command. Without it, the shell would replace itself with the first command.
  const line = `"${process.execPath}" .repo/bootstrap.cjs node command.cjs; true`
  const shell = spawn('sh', ['-c', line], {
    cwd: root,
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ending = finished(shell)
  await said(shell.stdout, 'up')
  shell.kill('SIGTERM')
  expect((await ending).stdout).toBe('up\ndown\n')
})

test('installs first when nothing is installed, and standard output has only the output of the command', async () => {
  const { code, stdout, stderr } = await finished(bootstrap("console.log('ran')"))
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ran\n' })
  expect(stderr).toMatch(
    /^Installing the dependencies, once: 1 packages, about \d+ MB on disk, and \d+ MB in the cache of npm\. This takes one to three minutes …\n/,
  )
  expect(stderr).toMatch(/Installed in \d+ s\.\n$/)
  expect(npmRuns()).toEqual([
    'ci --include=dev --include=optional --no-audit --no-fund --no-update-notifier --ignore-scripts --loglevel=error',
  ])
})

test('announces every package that npm installs, and shows nothing that npm prints about its own count', async () => {
  const all = { '': {}, 'apps/x': {}, 'node_modules/x': { link: true }, 'node_modules/a': { version: '1.0.0' } }
  const packages = { ...all, 'apps/x/node_modules/b': { version: '2.0.0' } }
  write('package-lock.json', JSON.stringify({ packages }))
  write('npm-cli.js', `console.log('added 99 packages');${npmThatInstalls(`a: '1.0.0'`)}`)
  const { stderr } = await finished(bootstrap(''))
  expect(stderr).toContain('once: 2 packages')
  expect(stderr).not.toContain('added 99 packages')
})

test('installs when the version of a package differs from the lockfile', async () => {
  installed({ a: '0.9.0' })
  await finished(bootstrap(''))
  expect(npmRuns()).toHaveLength(1)
})

test('installs when a package is missing on the disk', async () => {
  installed()
  rmSync(join(root, 'node_modules/a'), { recursive: true })
  await finished(bootstrap(''))
  expect(npmRuns()).toHaveLength(1)
})

test('installs when an optional package for this machine is missing', async () => {
  installed()
  write('package-lock.json', JSON.stringify({ packages: NATIVE }))
  write('npm-cli.js', npmThatInstalls(`a: '1.0.0', native: '3.0.0'`))
  expect(await finished(bootstrap(''))).toMatchObject({ code: 0 })
  expect(npmRuns()).toHaveLength(1)
})

test('on a host with Node 18, installs only the Node of the repository first, and then everything once', async () => {
  const own = { version: '24.0.0', integrity: 'sha512-x', ...HERE }
  write('package-lock.json', JSON.stringify({ packages: { ...NATIVE, [`node_modules/${OWN_NODE}`]: own } }))
  // npm skips native packages whose engines exclude the Node of the host.
  const native = `...(process.env.UNDER_OWN_NODE ? { native: '3.0.0' } : {})`
  write(
    'npm-cli.js',
    `require('node:fs').appendFileSync('${join(root, 'folders.log')}', process.cwd() + '\\n');` +
      npmThatInstalls(`a: '1.0.0', '${OWN_NODE}': '24.0.0', ${native}`) +
      ownNodeInstaller(),
  )
  write(
    'node-18.cjs',
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })`,
  )
  const env = { NODE_OPTIONS: `--require=${join(root, 'node-18.cjs')}` }
  expect(await finished(bootstrap("console.log('ran')", 'ignore', env))).toMatchObject({ code: 0, stdout: 'ran\n' })
  expect(readFileSync(join(root, 'folders.log'), 'utf8').trim().split('\n')).toEqual([
    join(root, '.cache/first-node'),
    root,
  ])
  expect(existsSync(join(root, '.cache/first-node'))).toBe(false)
})

test('names the packages that npm ci skipped', async () => {
  write('package-lock.json', JSON.stringify({ packages: NATIVE }))
  const { code, stderr } = await finished(bootstrap(''))
  expect(code).toBe(1)
  expect(stderr).toContain('smsgw: npm ci succeeded without installing native')
})

test('two concurrent first starts install the packages only once', async () => {
  const both = await Promise.all([finished(bootstrap('')), finished(bootstrap(''))])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(npmRuns()).toHaveLength(1)
})

test.each(['999999999', '', 'not a number'])(
  'an installation that was killed (%j) does not prevent the next one',
  async (holder) => {
    write('.cache/installing', holder)
    expect(await finished(bootstrap(''))).toMatchObject({ code: 0 })
    expect(existsSync(join(root, '.cache/installing'))).toBe(false)
  },
)

test('waits for another installation, reports that at once, and does not remove its lock', async () => {
  write('.cache/installing', String(process.pid))
  const child = bootstrap('')
  await said(child.stderr, `waiting for installation by process ${process.pid}…`)
  child.kill('SIGTERM')
  await finished(child)
  expect(readFileSync(join(root, '.cache/installing'), 'utf8')).toBe(String(process.pid))
  expect(npmRuns()).toEqual([])
})

test('does not remove a lock that another start created while the command runs', async () => {
  const child = bootstrap("console.log('up'); process.stdin.resume()", 'pipe')
  await said(child.stdout, 'up')
  write('.cache/installing', '4711')
  child.stdin?.end()
  await finished(child)
  expect(readFileSync(join(root, '.cache/installing'), 'utf8')).toBe('4711')
})

test('SIGTERM during the installation stops npm first, then starts nothing and removes the lock', async () => {
  const npm = "process.on('SIGTERM', () => setTimeout(() => { console.error('npm ends'); process.exit(1) }, 300));"
  write('npm-cli.js', `${npm} setTimeout(() => 0, 10_000); console.error('npm runs ' + process.pid)`)
  const child = bootstrap("console.log('ran')")
  const [, npmPid] = await said(child.stderr, /npm runs (\d+)/)
  expect(readFileSync(join(root, '.cache/installing'), 'utf8')).toBe(npmPid)
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await finished(child)
  expect({ code, stdout }).toEqual({ code: 143, stdout: '' })
  expect(stderr).toContain('npm ends')
  expect(existsSync(join(root, '.cache/installing'))).toBe(false)
})

test('repeats an interrupted installation, whatever files it left on the disk', async () => {
  installed({ a: '0.9.0' })
  write('npm-cli.js', "require('node:fs').writeFileSync('half', ''); process.kill(process.pid, 'SIGKILL')")
  expect(await finished(bootstrap(''))).toMatchObject({ code: 137 })
  expect(existsSync(join(root, 'node_modules/.package-lock.json'))).toBe(false)
})

test('reports what to do when the installation fails, and starts nothing', async () => {
  write('npm-cli.js', 'process.exit(1)')
  const { code, stdout, stderr } = await finished(bootstrap("console.log('ran')"))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('npm ci failed (see above): fix the cause, then run the same command again')
})

test('does not mistake another package manager for npm', async () => {
  write('yarn.js', "require('node:fs').writeFileSync('yarn.ran', '')")
  write('bin/npm', `#!${process.execPath}\n${npmThatInstalls(`a: '1.0.0'`)}`)
  chmodSync(join(root, 'bin/npm'), 0o755)
  const { PATH } = process.env
  const env = { npm_execpath: join(root, 'yarn.js'), PATH: `${join(root, 'bin')}:${PATH}` }
  expect(await finished(bootstrap('', 'ignore', env))).toMatchObject({ code: 0 })
  expect(existsSync(join(root, 'yarn.ran'))).toBe(false)
  expect(npmRuns()).toHaveLength(1)
})

test.each(['nothing', 'a dangling link', 'a link to another Node'])(
  'where npm left %s, .bin/node is our Node',
  async (before) => {
    installed()
    execFileSync(process.execPath, ['-e', `const fs = require('node:fs');${ownNodeInstaller()}`], { cwd: root })
    mkdirSync(join(root, 'node_modules/.bin'))
    const link = join(root, 'node_modules/.bin/node')
    if (before === 'a dangling link') symlinkSync('../gone/bin/node', link)
    if (before === 'a link to another Node') symlinkSync(process.execPath, link)
    const { stdout } = await finished(bootstrap('console.log(process.env.UNDER_OWN_NODE)'))
    expect(stdout).toBe('1\n')
    expect(readlinkSync(link)).toBe(`../${OWN_NODE}/bin/node`)
  },
)

test('reports what to do when the lockfile is broken or the command does not exist', async () => {
  installed()
  expect((await finished(start(['no-such-command']))).stderr).toContain('smsgw: no-such-command could not be started')
  write('package-lock.json', '{')
  expect((await finished(bootstrap(''))).stderr).toContain('package-lock.json is missing or broken')
})

/** Replaces npm: records that it ran, waits for some time, and creates the files that `npm ci` would create. */
function npmThatInstalls(packages: string): string {
  return `
    const fs = require('node:fs')
    fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n')
    setTimeout(() => {
      const lock = { packages: {} }
      for (const [name, version] of Object.entries({ ${packages} })) {
        fs.mkdirSync('node_modules/' + name, { recursive: true })
        fs.writeFileSync('node_modules/' + name + '/package.json', '{}')
        lock.packages['node_modules/' + name] = { version }
      }
      fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(lock))
    }, 300)
  `
}

/**
 * Replaces the Node of the repository with a script that sets an environment variable and runs the Node of the host.
 */
function ownNodeInstaller(): string {
  write('own-node.sh', `#!/bin/sh\nUNDER_OWN_NODE=1 exec ${process.execPath} "$@"\n`)
  chmodSync(join(root, 'own-node.sh'), 0o755)
  return `
    fs.mkdirSync('node_modules/${OWN_NODE}/bin', { recursive: true })
    fs.copyFileSync('${join(root, 'own-node.sh')}', 'node_modules/${OWN_NODE}/bin/node')
  `
}

function npmRuns(): string[] {
  const log = join(root, 'npm.log')
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function installed(packages: Record<string, string> = { a: '1.0.0' }): void {
  const entries = Object.entries(packages)
  for (const [name] of entries) write(`node_modules/${name}/package.json`, '{}')
  const lock = Object.fromEntries(entries.map(([name, version]) => [`node_modules/${name}`, { version }]))
  write('node_modules/.package-lock.json', JSON.stringify({ packages: lock }))
}

const bootstrap = (code: string, stdin: 'ignore' | 'pipe' = 'ignore', env: NodeJS.ProcessEnv = {}) =>
  start(['node', '-e', code], stdin, env)

function start(args: string[], stdin: 'ignore' | 'pipe' = 'ignore', env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [join(root, '.repo/bootstrap.cjs'), ...args], {
    env: { ...process.env, npm_execpath: join(root, 'npm-cli.js'), ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  })
  children.push(child)
  return child
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

function said(stream: Readable | null, words: string | RegExp): Promise<string[]> {
  let text = ''
  return new Promise((resolve) =>
    stream?.on('data', (chunk) => {
      text += chunk
      const match = typeof words === 'string' ? text.includes(words) && [words] : words.exec(text)
      if (match) resolve(match)
    }),
  )
}
