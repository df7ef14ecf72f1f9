import type { Dice } from './dice.ts'

/** Texts that are known to break programs. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\ufffe\uffff',
  '\u202e\u2066txet',
  'é\u0301'.repeat(50),
  '👩‍👩‍👧‍👦'.repeat(20),
  'x'.repeat(129),
  'x'.repeat(70_000),
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  '0x10',
  '９',
  "'; DROP TABLE messages; --",
  "' OR '1'='1",
  '\\',
  '%s%n%x',
  '#{7*7}',
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '$aes-256-cbc/pbkdf2-sha1$i=1$AAAA$AAAA',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999-23:59',
  '0000-00-00T00:00:00Z',
  '2026-02-30T25:61:61Z',
  '+999999999999999999999',
  '+4915112345678',
  '(415) 555-2671',
  'https://user:pass@127.0.0.1:1/\0',
  'javascript:alert(1)',
  'https://[::ffff:7f00:1]/',
  `https://${'a.'.repeat(300)}`,
]

/** Values as JSON text, because parsers do not preserve some of them. */
export const HOSTILE_JSON: readonly string[] = [
  'null',
  'true',
  '{}',
  '[]',
  '""',
  '0',
  '-0',
  '-1',
  '0.1',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '2147483648',
  '-2147483649',
  '18446744073709551616',
  '1'.repeat(5000),
  '"\\u0000"',
  '"\\ud800"',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"length":1e9}',
  '{"toString":1,"valueOf":2,"toJSON":3}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `[${'1,'.repeat(20_000)}1]`,
]

/** Invalid JSON. */
export function brokenJson(text: string, dice: Dice): Buffer {
  const octets = Buffer.from(text)
  const at = dice.below(octets.length + 1)
  const around = (...middle: readonly Buffer[]) =>
    Buffer.concat([octets.subarray(0, at), ...middle, octets.subarray(at)])
  switch (dice.below(6)) {
    case 0:
      return octets.subarray(0, at)
    case 1:
      return around(Buffer.from([dice.below(256)]))
    case 2:
      return around(Buffer.from([0xff, 0xfe, 0xc0, 0x80]))
    case 3:
      return around(octets)
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), octets])
    default: {
      const flipped = Buffer.from(octets)
      if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.below(8))
      return flipped
    }
  }
}
