import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-usb-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function compare(...options: readonly string[]) {
  const file = join(import.meta.dirname, 'compare-usb-ports.ts')
  const { status, stdout } = spawnSync(process.execPath, [file, ...options], { encoding: 'utf8' })
  return { status, stdout }
}

test.each([
  [[], 1],
  [['--optional'], 0],
])('without ModemManager the error names the package to install: options %j exit with %i', (options, status) => {
  const stdout =
    'ModemManager is not installed, so nothing was compared. Install it: sudo apt-get install modemmanager\n'
  expect(compare('--rules', '/nowhere', ...options)).toEqual({ status, stdout })
})

test('reports a port that has another role', () => {
  const rule = (product: string, number: string) =>
    `ATTRS{idVendor}=="19d2", ATTRS{idProduct}=="${product}", ENV{.MM_USBIFNUM}=="${number}", ENV{ID_MM_PORT_TYPE_AT_PRIMARY}="1"`
  writeFileSync(join(folder, '77-mm-zte.rules'), `${rule('0001', '00')}\n${rule('0002', '03')}\n`)
  expect(compare('--rules', folder)).toEqual({
    status: 1,
    stdout: [
      'DIFFERENT  19d2:0002 interface 3: ModemManager: at, here: not listed',
      'ModemManager: 2 facts about ports',
      '1 differences',
      '',
    ].join('\n'),
  })
})
