import { type FindingCode, findingValues, isAdvised } from '@smsgw/contract/devices/finding-code'
import { afterEach, describe, expect, test } from 'vitest'
import { chooseLocale } from '../words/language.ts'
import { loadLocale } from '../words/text.ts'
import { findingWords, modemProblemWords, type ShownFinding } from './finding-words.ts'

const codes = Object.keys(findingValues) as FindingCode[]
const finding = (code: FindingCode): ShownFinding => ({
  check: 'the check',
  verdict: isAdvised(code) ? 'problem' : 'ok',
  text: 'the sentence of the agent',
  ...(isAdvised(code) && { advice: 'the advice of the agent' }),
  code,
  values: Object.fromEntries(findingValues[code].map((name) => [name, name === 'tries' ? 2 : `{${name}}`])),
})

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

describe.each(['en', 'de', 'es', 'ar'])('describes findings in %s', (language) => {
  test('each finding has a check, a text with all values, and advice if something must be done', async () => {
    await loadLocale(chooseLocale(language, [language]))
    for (const code of codes) {
      const words = findingWords(finding(code))
      expect({ code, isEnglish: words.isEnglish, check: words.check, text: words.text }).toEqual({
        ...{ code, isEnglish: false },
        check: expect.not.stringContaining('the check'),
        text: expect.not.stringContaining('the sentence'),
      })
      expect({ code, advice: words.advice }).toEqual({
        code,
        advice: isAdvised(code) ? expect.not.stringMatching(/the advice|^$/) : undefined,
      })
    }
  })
})

test('a finding of a SIM contains the name of the SIM', () => {
  expect(findingWords({ ...finding('network.denied'), simNumber: 2 }).check).toBe('SIM 2 · Network')
})

test.each([
  ['an older agent', { code: undefined }],
  ['a newer agent', { code: 'moon.full' }],
  ['an agent that omits a value', { values: {} }],
] as const)('the sentences of %s are shown unchanged', (_, more) => {
  expect(findingWords({ ...finding('port.in-use'), ...more })).toEqual({
    ...{ check: 'the check', text: 'the sentence of the agent', advice: 'the advice of the agent', isEnglish: true },
  })
})

test('the problem of a modem is translated by its code', () => {
  expect(modemProblemWords('modem.puk-required')).toMatchObject({ text: expect.stringContaining('PUK') })
  expect(modemProblemWords('modem.haunted')).toBeUndefined()
  expect(modemProblemWords(undefined)).toBeUndefined()
})
