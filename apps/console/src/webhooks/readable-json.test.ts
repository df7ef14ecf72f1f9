import { expect, test } from 'vitest'
import { readableJson } from './readable-json.ts'

test('indents JSON and returns any other text unchanged', () => {
  expect(readableJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(readableJson('<p>no</p>')).toBe('<p>no</p>')
})
