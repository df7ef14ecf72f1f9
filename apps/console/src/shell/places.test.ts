import { expect, test } from 'vitest'
import { isAt, placeName, places } from './places.ts'

test.each([
  ['/', '/', true],
  ['/devices', '/', false],
  ['/devices/abc', '/devices', true],
  ['/devices-of-others', '/devices', false],
  ['/compose', '/conversations', true],
  ['/messages', '/conversations', true],
  ['/setup', '/devices', true],
  ['/messages/abc', '/conversations', true],
  ['/messages/abc', '/webhooks', false],
])('at %s, the page %s is current: %s', (location, path, expected) => {
  expect(isAt(location, path)).toBe(expected)
})

test('each page has its own key and name', () => {
  expect(new Set(places.map(({ key }) => key)).size).toBe(places.length)
  expect(new Set(places.map(({ path }) => placeName(path))).size).toBe(places.length)
})
