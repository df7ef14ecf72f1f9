import { expect, test } from 'vitest'
import type { Page, Pages } from './newest-first.ts'
import { withFresh } from './with-fresh.ts'

const page = (letters: string, nextCursor?: string): Page<string> => ({ body: [...letters], nextCursor })
const known: Pages<string> = { pages: [page('fed', 'd'), page('cba')], pageParams: ['start', 'd'] }
const letters = ({ pages }: Pages<string>) => pages.map(({ body }) => body.join(''))

test('what is new stands on top, what it pushed out of the first page stays, and the pages below are as they were', () => {
  const now = withFresh(known, new Map([['start', page('gfe', 'e')]]), String)
  expect(letters(now)).toEqual(['gfed', 'cba'])
  expect(now.pages[1]).toBe(known.pages[1])
  expect(now.pages[0]?.nextCursor).toBe('d')
})

test('a page that was read again takes the place of the one before', () => {
  const again = page('cba', undefined)
  const now = withFresh(
    known,
    new Map([
      ['start', page('fed', 'd')],
      ['d', again],
    ]),
    String,
  )
  expect(now.pages[1]).toBe(again)
})

test('what has moved to the top is not shown twice', () => {
  expect(letters(withFresh(known, new Map([['start', page('bfe', 'e')]]), String))).toEqual(['bfed', 'ca'])
})

test('where so much is new that something may lie between, the list begins anew', () => {
  const now = withFresh(known, new Map([['start', page('zyx', 'x')]]), String)
  expect(letters(now)).toEqual(['zyx'])
  expect(now.pageParams).toEqual(['start'])
})

test('one that is alone is replaced, and does not grow', () => {
  const alone = { pages: [page('fed', 'd')], pageParams: ['start'] }
  expect(letters(withFresh(alone, new Map([['start', page('gfe', 'e')]]), String))).toEqual(['gfe'])
})

test('what no longer belongs among those that were read again goes', () => {
  expect(letters(withFresh(known, new Map([['start', page('gfd', 'd')]]), String))).toEqual(['gfd', 'cba'])
})

test('what has come to its end holds nothing below', () => {
  expect(letters(withFresh(known, new Map([['start', page('fe')]]), String))).toEqual(['fe'])
})

test('who has stopped far down while hundreds came in begins anew', () => {
  const many = Array.from({ length: 501 }, (_, at) => `new ${at}`)
  const grown = { pages: [{ body: many, nextCursor: 'd' }, page('cba')], pageParams: ['start', 'd'] }
  const top = { body: many.slice(0, 3), nextCursor: 'new 2' }
  expect(withFresh(grown, new Map([['start', top]]), String).pages).toEqual([top])
})
