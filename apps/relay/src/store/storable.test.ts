import { expect, test } from 'vitest'
import { storableJson, storableText } from './storable.ts'

test('replaces characters that PostgreSQL rejects, and keeps all others', () => {
  expect(storableText('a\u0000b\ud83dc \u{1f600} é')).toBe('a\ufffdb\ufffdc \u{1f600} é')
})

test('replaces such characters at any depth of a JSON value', () => {
  expect(storableJson({ 'a\u0000': [{ b: 'x\ud800' }, 1, null, true] })).toEqual({
    'a\ufffd': [{ b: 'x\ufffd' }, 1, null, true],
  })
})
