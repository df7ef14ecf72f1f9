import { expect, test } from 'vitest'
import { type ListPage, type ListPages, withFresh } from './newest-first.ts'

const page = (letters: string, nextCursor?: string): ListPage<string> => ({ body: [...letters], nextCursor })
const known: ListPages<string> = { pages: [page('fed', 'd'), page('cba')], pageParams: ['start', 'd'] }
const letters = ({ pages }: ListPages<string>) => pages.map(({ body }) => body.join(''))

test('new entries come first, entries pushed off the first page stay, and later pages are unchanged', () => {
  const now = withFresh(known, new Map([['start', page('gfe', 'e')]]), String)
  expect(letters(now)).toEqual(['gfed', 'cba'])
  expect(now.pages[1]).toBe(known.pages[1])
  expect(now.pages[0]?.nextCursor).toBe('d')
})

test('a reloaded page replaces the old one', () => {
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

test('an entry that moved to the top is not shown twice', () => {
  expect(letters(withFresh(known, new Map([['start', page('bfe', 'e')]]), String))).toEqual(['bfed', 'ca'])
})

test('if entries may be missing between the pages, only the first page is kept', () => {
  const now = withFresh(known, new Map([['start', page('zyx', 'x')]]), String)
  expect(letters(now)).toEqual(['zyx'])
  expect(now.pageParams).toEqual(['start'])
})

test('a single page is replaced and does not grow', () => {
  const alone = { pages: [page('fed', 'd')], pageParams: ['start'] }
  expect(letters(withFresh(alone, new Map([['start', page('gfe', 'e')]]), String))).toEqual(['gfe'])
})

test('entries that a reloaded page no longer contains are removed', () => {
  expect(letters(withFresh(known, new Map([['start', page('gfd', 'd')]]), String))).toEqual(['gfd', 'cba'])
})

test('a list that ends with the first page has no later pages', () => {
  expect(letters(withFresh(known, new Map([['start', page('fe')]]), String))).toEqual(['fe'])
})

test('after hundreds of new entries, only the first page is kept', () => {
  const many = Array.from({ length: 501 }, (_, at) => `new ${at}`)
  const grown = { pages: [{ body: many, nextCursor: 'd' }, page('cba')], pageParams: ['start', 'd'] }
  const top = { body: many.slice(0, 3), nextCursor: 'new 2' }
  expect(withFresh(grown, new Map([['start', top]]), String).pages).toEqual([top])
})
