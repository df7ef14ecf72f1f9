import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

test.each(['', 'gateway', 'relay', 'agent', 'bridge', 'modem', 'emulator'])(
  'smsgw %s --version prints the version',
  (program) => {
    const args = [program, '--version'].filter(Boolean)
    expect(smsgw(...args)).toEqual({ code: 0, output: `${version}\n`, problem: '' })
  },
)

test.each([
  [['relya'], 'smsgw: unknown command relya; did you mean relay?\n'],
  [['lisen'], 'smsgw: unknown command lisen; did you mean listen?\n'],
  [['--versoin'], 'smsgw: unknown option --versoin; did you mean --version?\n'],
  [['completion', 'tcsh'], 'smsgw: completion needs a shell: bash, zsh, fish\n'],
  [['gateway', 'stauts'], 'smsgw: unknown command "stauts"; did you mean status?\n'],
  [['gateway', 'status', '--jsno'], 'smsgw: unknown option --jsno; did you mean --json?\n'],
  [['relay', 'bakcup', 'x'], 'relay: unknown command "bakcup"; did you mean backup?\n'],
  [['agent', 'pari', 'x'], 'agent: unknown command "pari"; did you mean pair?\n'],
  [['modem', '/dev/ttyUSB2', 'idnetify'], 'modem: unknown command "idnetify"; did you mean identify?\n'],
  [['emulator', '--numbr', '1'], 'emulator: unknown option --numbr; did you mean --number?\n'],
])('%j exits with 2 and names the nearest match', (args, problem) => {
  expect(smsgw(...args)).toEqual({ code: 2, output: '', problem })
})

test('smsgw password prints the account of the gateway, or says that the gateway has not been started', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-password-'))
  try {
    expect(smsgwWith({ DATA_DIR: folder }, 'password')).toEqual({
      code: 1,
      output: '',
      problem: `smsgw: ${folder}/credentials.json does not exist: start the gateway first, or set DATA_DIR to its data folder\n`,
    })
    writeFileSync(join(folder, 'credentials.json'), '{ "username": "sms", "password": "tea at half past four" }')
    expect(smsgwWith({ DATA_DIR: folder }, 'password')).toEqual({
      code: 0,
      output: 'sms:tea at half past four\n',
      problem: '',
    })
    writeFileSync(join(folder, 'credentials.json'), '{ "password": "tea at half past four" }')
    expect(smsgwWith({ DATA_DIR: folder }, 'password')).toEqual({
      code: 1,
      output: '',
      problem: `smsgw: ${folder}/credentials.json is not valid. Expected: {"username": "sms", "password": "…"}\n`,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('smsgw replaces its process with the program, so that the program receives the signals and returns its exit code', async () => {
  const child = spawn(
    process.execPath,
    [MAIN, 'emulator', '--tcp', '127.0.0.1:0', '--control', 'none', '--ledger', 'none'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await once(child.stdout, 'data')
  expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toContain('apps/emulator/src/main.ts')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

describe('completion', () => {
  const offers: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['', ['gateway', 'relay', 'agent', 'modem', 'emulator', 'completion', 'router', 'cells'], ['accounts']],
    ['', ['send', 'inbox', 'listen', 'keys', 'login', 'logout'], ['client', '--url']],
    ['keys', ['create', 'list', 'rotate', 'revoke'], ['keys']],
    ['send', ['--no-wait', '--url', '--help'], ['--forward-to', 'inbox']],
    ['listen', ['--forward-to', '--events'], ['--follow']],
    ['relay', ['accounts', 'token', 'backup', 'restore', '--port', '--data-dir'], ['add', '--server-secret']],
    ['relay cells', ['add', 'list', 'place', 'move'], ['token']],
    ['cells', ['add', 'list', 'place', 'move'], ['relay']],
    ['cells move', ['--cancel', '--without-router'], ['--generate']],
    ['relay accounts', ['add', 'list', 'password', 'remove'], ['token']],
    ['relay accounts add', ['--generate', '--password-stdin'], ['list']],
    ['gateway', ['status', 'doctor', 'backup'], ['pair']],
    ['modem /dev/ttyUSB2', ['identify', 'send', '--pin'], ['pair']],
    ['modem /dev/ttyUSB2 send', ['--report', '--flash', '--pin'], ['identify']],
    ['emulator', ['--personality', '--quiet'], ['pair']],
  ]

  test.each(offers)('bash completion offers after "smsgw %s"', (typed, offered, others) => {
    const output = completion('bash')
    const words = ['smsgw', ...typed.split(' ').filter(Boolean), ''].map((word) => `'${word}'`)
    const script = `${output}\nCOMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}\n_smsgw\nprintf '%s\\n' "\${COMPREPLY[@]}"`
    const found = shell('bash', [], script).split('\n')
    for (const word of offered) expect(found).toContain(word)
    for (const word of others) expect(found).not.toContain(word)
  })

  test.runIf(has('fish')).each(offers)('fish completion offers after "smsgw %s"', (typed, offered, others) => {
    const output = completion('fish')
    const complete = (start: string) =>
      shell('fish', ['--no-config'], `${output}\ncomplete -C '${`smsgw ${typed}`.trim()} ${start}'\n`)
        .split('\n')
        .map((line) => line.split('\t')[0])
    // fish lists options only after a hyphen.
    const found = [...complete(''), ...complete('--')]
    for (const word of offered) expect(found).toContain(word)
    for (const word of others) expect(found).not.toContain(word)
  })

  test.runIf(has('zsh')).each(offers)('zsh completion offers after "smsgw %s"', (typed, offered, others) => {
    const output = completion('zsh')
    const words = ['smsgw', ...typed.split(' ').filter(Boolean)]
    // Outside of completion, _describe is replaced by a function that prints the words.
    const script = `compdef() { : }; _describe() { print -l -- "\${(@P)2}" }; _files() { : }
${output}
words=(${words.map((word) => `'${word}'`).join(' ')} ''); CURRENT=${words.length + 1}; _smsgw`
    const found = shell('zsh', ['-f'], script)
      .split('\n')
      .map((line) => line.split(':')[0])
    for (const word of offered) expect(found).toContain(word)
    for (const word of others) expect(found).not.toContain(word)
  })
})

const scripts = mkdtempSync(join(tmpdir(), 'smsgw-completion-'))
afterAll(() => rmSync(scripts, { recursive: true }))

const MAIN = join(import.meta.dirname, 'main.ts')

function smsgw(...args: readonly string[]) {
  return smsgwWith({}, ...args)
}

function smsgwWith(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...settings }
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd: ROOT, encoding: 'utf8', env })
  return { code: status, output: stdout, problem: stderr }
}

/** The script of each shell, which is the same for all cases. */
const completions = new Map<string, string>()

function completion(shell: string): string {
  const script = completions.get(shell) ?? smsgw('completion', shell).output
  completions.set(shell, script)
  return script
}

/** Runs a script from a file, because the script is too long for an argument. */
function shell(name: string, args: readonly string[], script: string): string {
  const file = join(scripts, 'script')
  writeFileSync(file, script)
  const { status, stdout, stderr } = spawnSync(name, [...args, file], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

function has(name: string): boolean {
  return spawnSync(name, ['--version']).status === 0
}
