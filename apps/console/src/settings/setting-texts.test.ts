import { settings } from '@smsgw/contract/settings'
import { expect, test } from 'vitest'
import { sectionTexts } from './setting-texts.ts'

test('every setting of the contract is shown and explained, and no other', () => {
  const known = Object.entries(settings.shape).flatMap(([section, { shape }]) =>
    Object.keys(shape).map((key) => `${section}.${key}`),
  )
  const shown = sectionTexts.flatMap(({ section, settings: texts }) => texts.map(({ key }) => `${section}.${key}`))
  // A secret is taken and never given.
  expect(shown.toSorted()).toEqual([...known, 'webhooks.signing_key'].toSorted())
})
