import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const HOOKS = join(import.meta.dirname, 'hooks')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-pre-push-'))
  mkdirSync(join(folder, 'bin'))
  // Records its arguments and the value of GIT_DIR, with which git commands of tests would use the wrong repository.
  const npm = `#!/bin/sh\necho "$* [\${GIT_DIR-}]" >> '${join(folder, 'calls')}'\n[ ! -e '${join(folder, 'fails')}' ]\n`
  writeFileSync(join(folder, 'bin/npm'), npm)
  chmodSync(join(folder, 'bin/npm'), 0o755)
  git(folder, 'init', '--quiet', '--bare', 'remote.git')
  git(folder, 'init', '--quiet', '--initial-branch=main', 'clone')
  cpSync(HOOKS, join(folder, 'clone/hooks'), { recursive: true })
  const settings = { 'core.hooksPath': 'hooks', 'user.name': 'Anna', 'user.email': 'anna@example.org' }
  for (const [name, value] of Object.entries(settings)) git(clone(), 'config', name, value)
  git(clone(), 'remote', 'add', 'origin', '../remote.git')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const clone = () => join(folder, 'clone')

function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = run(cwd, ...args)
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

function run(cwd: string, ...args: string[]) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(own), PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` }
  return spawnSync('git', args, { cwd, encoding: 'utf8', env })
}

function commit(): string {
  git(clone(), 'commit', '--quiet', '--allow-empty', '--message', 'test: change nothing')
  return git(clone(), 'rev-parse', 'HEAD')
}

function calls(): string[] {
  const lines = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  rmSync(join(folder, 'calls'))
  return lines
}

test('the first push runs the checks and all tests', () => {
  commit()
  git(clone(), 'push', '--quiet', 'origin', 'main')
  expect(calls()).toEqual(['run -s check []', 'test -s []'])
})

test('a later push of main tests what has changed since the commit that the remote has', () => {
  const first = commit()
  git(clone(), 'push', '--quiet', 'origin', 'main')
  calls()
  commit()
  commit()
  git(clone(), 'push', '--quiet', 'origin', 'main')
  expect(calls()).toEqual(['run -s check []', `test -s -- --affected --base=${first} []`])
})

test('a new branch is compared with the main branch of the remote', () => {
  const first = commit()
  git(clone(), 'push', '--quiet', 'origin', 'main')
  calls()
  git(clone(), 'switch', '--quiet', '--create', 'topic')
  commit()
  git(clone(), 'push', '--quiet', 'origin', 'topic')
  expect(calls()).toEqual(['run -s check []', `test -s -- --affected --base=${first} []`])
})

test('a failed check stops the push', () => {
  commit()
  writeFileSync(join(folder, 'fails'), '')
  expect(run(clone(), 'push', '--quiet', 'origin', 'main').status).not.toBe(0)
  expect(calls()).toEqual(['run -s check []'])
  expect(git(join(folder, 'remote.git'), 'branch')).toBe('')
})

test('a ref that is deleted or not checked out is not tested', () => {
  commit()
  git(clone(), 'push', '--quiet', 'origin', 'main', 'main:topic')
  calls()
  git(clone(), 'branch', 'old')
  commit()
  git(clone(), 'push', '--quiet', 'origin', 'old', ':topic')
  expect(() => calls()).toThrow('ENOENT')
})
