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
  const encoded = join(folder, 'tests/at-sms-encode')
  mkdirSync(encoded, { recursive: true })
  writeFileSync(join(encoded, '01.dump'), '03812143110004814365000000014A\n')
  writeFileSync(join(encoded, '02.dump'), '0381214311000481436500000001C5\n')
  for (const name of ['01', '02'])
    writeFileSync(join(encoded, `${name}.backup`), 'SMSC = "1234"\nNumber = "3456"\nText00 = 004a\n')
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
      'NOT UNDERSTOOD  gammu at-creg/2.dump: "AT+CREG?\\n+CREG: home\\nOK"',
      'gammu: 2 replies, 1 understood, 0 decided, 1 not understood',
      'NOT UNDERSTOOD  gammu at-sms-encode/02: "0381214311000481436500000001C5"',
      'gammu: 2 messages, 1 understood, 0 decided, 1 not understood',
      'ModemManager: 2 replies, 2 understood, 0 decided, 0 not understood',
      '',
    ].join('\n'),
  })
})

test('reads the replies of fake modems to their commands', () => {
  mkdirSync(join(folder, 'test'), { recursive: true })
  writeFileSync(
    join(folder, 'test/fakemodems.py'),
    [
      "self.responses = {'AT+CGMI\\r': ['huawei\\r\\n', 'OK\\r\\n'],",
      "  'AT+CPIN?\\r': ['+CPIN: READY\\r\\n'], # without OK",
      "  'AT+CSQ\\r': ['+CSQ: much\\r\\n', 'OK\\r\\n'],",
      "  'AT+WIND?\\r': ['COMMAND NOT SUPPORT\\r\\n']}",
      '',
    ].join('\n'),
  )
  const definition = join(folder, 'default.xml')
  writeFileSync(
    definition,
    [
      '<set name="REG" value="1,0"/>',
      `<chat><command>AT+CREG?</command><response>+CREG: ${'$'}{REG},1\\n\\nOK</response></chat>`,
      '<chat><command>AT+CSQ</command><response>+CSQ: much\\n\\nOK</response></chat>',
      '<chat><command>AT+CHUP</command><response>OK</response></chat>',
      '',
    ].join('\n'),
  )
  expect(read('--python-gsmmodem', folder, '--phonesim', definition)).toEqual({
    status: 1,
    stdout: [
      'NOT UNDERSTOOD  python-gsmmodem fakemodems.py 3: "AT+CSQ +CSQ: much\\r\\nOK"',
      'python-gsmmodem: 4 replies, 3 understood, 0 decided, 1 not understood',
      'NOT UNDERSTOOD  phonesim default.xml 2: "AT+CSQ +CSQ: much\\n\\nOK"',
      'phonesim: 3 replies, 2 understood, 0 decided, 1 not understood',
      '',
    ].join('\n'),
  })
})
