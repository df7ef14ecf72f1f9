import { expect, test } from 'vitest'
import { readableJson } from './readable-json.ts'

test('JSON is indented, and anything else stays as it is', () => {
  expect(readableJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(readableJson('<p>no</p>')).toBe('<p>no</p>')
})
