import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-dialogues-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(...options: readonly string[]) {
  const file = join(import.meta.dirname, 'read-dialogues.ts')
  const { status, stdout } = spawnSync(process.execPath, [file, ...options], { encoding: 'utf8' })
  return { status, stdout }
}

test.each([
  [[], 1],
  [['--optional'], 0],
])('without sources the error describes how to get the sources: options %j exit with %i', (options, status) => {
  const stdout = 'No sources given, so nothing was read. Unpack them: apt-get source gammu modemmanager\n'
  expect(read(...options)).toEqual({ status, stdout })
})

test('counts the replies of each corpus and names those that are not understood', () => {
  const dumps = join(folder, 'tests/at-creg')
  mkdirSync(dumps, { recursive: true })
  writeFileSync(join(dumps, '1.dump'), 'AT+CREG?\n+CREG: 0,1,"5E25","605F"\nOK\n')
  writeFileSync(join(dumps, '2.dump'), 'AT+CREG?\n+CREG: home\nOK\n')
  const tests = join(folder, 'src/tests')
  mkdirSync(tests, { recursive: true })
  const literal = '"+CSCA: \\"+447700900123\\"," "145"'
  writeFileSync(
    join(tests, 'test-modem-helpers.c'),
    `const char *reply = ${literal};\nconst char *other = "+COPS: 0";\n`,
  )
  expect(read('--gammu', folder, '--modemmanager', folder)).toEqual({
    status: 1,
    stdout: [
      'NOT UNDERSTOOD  gammu at-creg/2.dump: "AT+CREG?\\n+CREG: home\\nOK\\n"',
      'gammu: 2 replies, 1 understood, 0 decided, 1 not understood',
      'ModemManager: 2 replies, 2 understood, 0 decided, 0 not understood',
      '',
    ].join('\n'),
  })
})
