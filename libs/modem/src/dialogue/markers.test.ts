import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readResponseLine } from '../wire/response-line.ts'
import { isAnswerTo, type Marker, markers, provingWord, rememberUnanswered } from './markers.ts'

test('one question is enough when all earlier questions are answered', () => {
  expect(provingWord([], ['a', 'b', 'c'])).toEqual(['a'])
  expect(provingWord(['a'], ['a', 'b', 'c'])).toEqual(['b'])
})

test('repeats earlier questions in an order that old answers cannot have', () => {
  expect(provingWord(['a', 'b', 'c'], ['a', 'b', 'c'])).toEqual(['b', 'a'])
  expect(provingWord(['a', 'b', 'a'], ['a', 'b'])).toEqual(['b', 'b', 'a'])
})

test('repeating a single unanswered question proves nothing', () => {
  expect(provingWord(['a'], ['a'])).toBeUndefined()
  expect(provingWord([], [])).toBeUndefined()
})

test('when the answers to all questions of a word have arrived, its last question has been answered, even if earlier answers were lost or late', () => {
  const alphabet = ['a', 'b', 'c']
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom<string[]>('a', 'b', 'c', 'x'), { maxLength: 14 }),
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      (unanswered, comes) => {
        const word = provingWord(unanswered, alphabet) ?? []
        expect(word.length).toBeGreaterThan(0)
        // The questions in the order in which the modem processes them. The driver asks each question when the previous
        // question seems to be answered.
        const stream = unanswered.map((letter) => ({ letter, last: false }))
        let asked = 0
        let read = 0
        const ask = () => {
          stream.push({ letter: word[asked] ?? '', last: asked === word.length - 1 })
          asked += 1
        }
        ask()
        for (let i = 0; i < stream.length; i += 1) {
          const answer = stream[i]
          if (!answer || !comes[i] || answer.letter !== word[read]) continue
          read += 1
          if (read === word.length) expect(answer.last).toBe(true)
          else ask()
        }
      },
    ),
    { numRuns: 2000 },
  )
})

test('no answer matches two questions', () => {
  const answers = ['+CMEE: 1', '+CSCS: "IRA"', '+CMEE: (0-2)', '+GCAP: +CGSM', '+CPAS: 0', '+CMGF: 0'].concat(
    '+CNMI: 2,1,0,0,0',
  )
  for (const answer of answers) {
    expect(markers.filter((marker) => isAnswerTo(marker, readResponseLine(answer)))).toHaveLength(1)
  }
})

test('the list of unanswered questions is limited', () => {
  const unanswered: Marker[] = []
  for (let i = 0; i < 1000; i += 1) rememberUnanswered(unanswered, ...markers)
  expect(unanswered).toHaveLength(200)
})
