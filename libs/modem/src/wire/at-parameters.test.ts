import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AtParameter,
  hexadecimalOf,
  integerOf,
  itemsOf,
  offersNumber,
  outermostQuoted,
  parameterText,
  parseParameters,
  textsOf,
} from './at-parameters.ts'

/**
 * Returns values as short text: plain values unchanged, quoted values in quotes, missing values as a dash, groups in
 * brackets.
 */
function shown(parameters: readonly AtParameter[]): string {
  return parameters.map(shownValue).join(' ')
}

function shownValue(parameter: AtParameter): string {
  switch (parameter.kind) {
    case 'missing':
      return '-'
    case 'plain':
      return parameter.text
    case 'quoted':
      return `"${parameter.text}"`
    case 'group':
      return `[${shown(parameter.items)}]`
  }
}

describe('reads every parameter list recorded from modems', () => {
  const seen: [about: string, body: string, expected: string][] = [
    ['registration with unquoted hexadecimal cell', '2,1,4CA,81DE445', '2 1 4CA 81DE445'],
    ['registration with quoted cell', '0,1,"5E25","605F",2', '0 1 "5E25" "605F" 2'],
    ['registration cut in the middle of a value', '2,1,"5E25', '2 1 "5E25"'],
    ['registration with mismatched quotes', '2,1,"0B,"0100701",7', '2 1 "0B" "0100701" 7'],
    ['registration with leading zeroes', '000,001', '000 001'],
    ['service centre in UCS-2, unquoted', '002B0039,145', '002B0039 145'],
    ['service centre without a plus', '"6281100000",145', '"6281100000" 145'],
    ['storage, three groups', '("SM","ME"),("SM","ME"),("SM","ME")', '["SM" "ME"] ["SM" "ME"] ["SM" "ME"]'],
    ['storage, no groups', '"ME","MT","SM"', '"ME" "MT" "SM"'],
    ['storage, parentheses twice', '(("SM","BM","SR"),("SM"))', '[["SM" "BM" "SR"] ["SM"]]'],
    ['storage, nothing offered', '(),(),()', '[] [] []'],
    ['storage, a quote missing', '(ME", "SR"),("SM")', '[ME "SR"] ["SM"]'],
    ['storage, empty', '', ''],
    ['storage, numbers alone', '0,30,0,30,8,330', '0 30 0 30 8 330'],
    ['CNMI ranges', '(2),(0-1,3),(0,2),(0-1),(0)', '[2] [0-1 3] [0 2] [0-1] [0]'],
    ['CMGR without stat', '24', '24'],
    ['CMGR with missing values', ',,92', '- - 92'],
    ['CMGR with four fields', '2,2,,174', '2 2 - 174'],
    ['CDS with an extra comma', ',25', '- 25'],
    ['own number with empty alpha', '"","+4479000000",145', '"" "+4479000000" 145'],
    ['own number with missing alpha', ',"+4479000000",145', '- "+4479000000" 145'],
    ['own number with unquoted alpha', 'Line 1,"+4479000000",145', 'Line 1 "+4479000000" 145'],
    ['blanks around everything', ' 1 , "a b" , (0 - 2) ', '1 "a b" [0 - 2]'],
    ['PIN state in quotes', '"READY"', '"READY"'],
    ['a value that ends with a comma', '1,', '1 -'],
    ['quotes inside a quoted text', '"he said "hi" twice"', '"he said "hi" twice"'],
    ['a parenthesis never closed', '(0-3),(1', '[0-3] [1]'],
    ['a parenthesis too many', '(0-3)),1', '[0-3] 1'],
    ['commas left out between groups', '("SM")("ME")', '["SM"] ["ME"]'],
  ]
  test.each(seen)('%s', (_about, body, expected) => {
    expect(shown(parseParameters(body))).toBe(expected)
  })
})

test('reads a number with or without quotes and padding, and reads no other text as a number', () => {
  const [padded, quoted, missing, text] = parseParameters('002,"17",,1x')
  expect([integerOf(padded), integerOf(quoted), integerOf(missing), integerOf(text)]).toEqual([
    2,
    17,
    undefined,
    undefined,
  ])
  expect(integerOf(undefined)).toBeUndefined()
  expect(hexadecimalOf(parseParameters('"81DE445"')[0])).toBe(0x81de445)
  expect(hexadecimalOf(parseParameters('xyz')[0])).toBeUndefined()
})

test('finds a number in the ranges of a test answer, in any form', () => {
  const [range, lone] = parseParameters('(0-1,3),2')
  expect([0, 1, 2, 3, 4].filter((n) => offersNumber(range, n))).toEqual([0, 1, 3])
  expect([1, 2, 3].filter((n) => offersNumber(lone, n))).toEqual([2])
  expect(offersNumber(parseParameters('(0-4294967295)')[0], 70_000)).toBe(true)
  expect(offersNumber(undefined, 0)).toBe(false)
})

test('flattens doubly parenthesised storage lists', () => {
  expect(textsOf(parseParameters('(("SM","BM","SR"),("SM"))')[0])).toEqual(['SM', 'BM', 'SR', 'SM'])
  expect(itemsOf(parseParameters('"ME","MT"')[0]).map(parameterText)).toEqual(['ME'])
})

test('keeps quotes and commas inside a text', () => {
  expect(outermostQuoted('0,"say "1", please",15')).toEqual({ before: '0,', text: 'say "1", please', after: ',15' })
  expect(outermostQuoted('0,"cut')).toEqual({ before: '0,', text: 'cut', after: '' })
  expect(outermostQuoted('0, 00480069')).toBeUndefined()
})

test('never fails and never loses a value, with any list', () => {
  const pieces = fc.constantFrom('"', ',', '(', ')', ' ', '0', 'A', '-', '+', '\0', 'é')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const body = parts.join('')
      const texts = parseParameters(body).flatMap(textsOf).join('')
      for (const letter of ['0', 'A', 'é']) {
        expect(texts.split(letter).length).toBe(body.split(letter).length)
      }
    }),
  )
  expect(parseParameters('('.repeat(10_000)).length).toBe(1)
})
