import { expect, test } from 'vitest'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { generatePassword, isGeneratedPassword } from './generated-password.ts'
import { passwordProblem } from './password.ts'

const here = secretBox('a secret that is long enough to be one', systemRandom)
const elsewhere = secretBox('another secret that is long enough', systemRandom)

test('generated passwords are long, easy to read, and different', () => {
  const passwords = Array.from({ length: 1_000 }, () => generatePassword(here, systemRandom))
  expect(new Set(passwords).size).toBe(1_000)
  for (const password of passwords) {
    expect(password).toMatch(/^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){4}$/)
    expect(passwordProblem(password, 'sms')).toBeUndefined()
    expect(isGeneratedPassword(here, password)).toBe(true)
  }
})

test('does not recognise a password that another installation or a person made', () => {
  const foreign = Array.from({ length: 100 }, () => generatePassword(elsewhere, systemRandom))
  const invented = ['', 'right password', 'test-test-test-test-test', 'test-test-test-test', 'TEST-test-test-test-test']
  expect(foreign.filter((password) => isGeneratedPassword(here, password))).toEqual([])
  expect(invented.filter((password) => isGeneratedPassword(here, password))).toEqual([])
})

test('does not recognise a generated password with any changed character', () => {
  const password = generatePassword(here, systemRandom)
  const changed = [...password].map((character, at) => {
    return password.slice(0, at) + (character === 'a' ? 'b' : 'a') + password.slice(at + 1)
  })
  // Each invented password has a chance of one in a million to have the right last group.
  expect(changed.filter((text) => isGeneratedPassword(here, text)).length).toBeLessThanOrEqual(1)
})
