import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-switches-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function compare(...options: readonly string[]) {
  const file = join(import.meta.dirname, 'compare-mode-switches.ts')
  const { status, stdout } = spawnSync(process.execPath, [file, ...options], { encoding: 'utf8' })
  return { status, stdout }
}

test.each([
  [[], 1],
  [['--optional'], 0],
])('without usb_modeswitch the error names the package to install: options %j exit with %i', (options, status) => {
  const stdout =
    'usb-modeswitch-data is not installed, so nothing was compared. Install it: sudo apt-get install usb-modeswitch\n'
  expect(compare('--configurations', '/nowhere', ...options)).toEqual({ status, stdout })
})

test('counts what the sticks become after the switch, decides known cases, and reports unknown vendors and sticks that usb_modeswitch lists', () => {
  const configurations: Readonly<Record<string, string>> = {
    '12d1:1f01': 'TargetVendor=0x12d1\nTargetProductList="14db,14dc"\nHuaweiNewMode=1\n',
    '12d1:1446': 'TargetVendor=0x12d1\nTargetProductList="1001,1506"\nHuaweiNewMode=1\n',
    '12d1:15c1': 'Configuration=0\n',
    '19d2:0033': 'TargetClass=0xff\n',
    '19d2:2000:uPr=WCDMA': 'TargetVendor=0xabcd\nTargetProduct=0x0001\n',
    '3566:2001': 'TargetVendor=0x3566\n',
  }
  for (const [name, text] of Object.entries(configurations)) writeFileSync(join(folder, name), text)
  const archive = join(folder, 'configPack.tar.gz')
  spawnSync('tar', ['-czf', archive, '-C', folder, ...Object.keys(configurations)])
  const { status, stdout } = compare('--configurations', archive)
  expect(stdout.split('\n')).toEqual([
    'DIFFERENT  19d2:2000: the vendor abcd is unknown, so the stick would be regarded as a disk',
    'DIFFERENT  3566:2001: usb_modeswitch lists this stick: remove it from mode-switches.ts',
    'usb_modeswitch: 5 configurations of Huawei, ZTE and Option',
    '     1  new id is in the table, with its ports',
    '     1  new id is not in the table: the rules of the vendor find the ports',
    '     1  sticks for which usb_modeswitch lists no id after the switch: their ports are tested with AT',
    '     1  new id is unknown: the ports are tested with AT',
    expect.stringMatching(/^decided {2}is a module that is never a disk.*: 12d1:15c1$/),
    expect.stringMatching(/^decided {2}becomes a HiLink stick.*: 12d1:1f01$/),
    expect.stringMatching(/^decided {2}keeps its id when it is switched.*: 19d2:0033$/),
    '2 differences',
    '',
  ])
  expect(status).toBe(1)
})
