import { settings, settingsWithoutEffect } from '@smsgw/contract/relay/settings'
import { expect, test } from 'vitest'
import { optionalText } from '../words/text.ts'
import { settingFields } from './setting-fields.ts'

const shown = Object.entries(settingFields).flatMap(([section, fields]) =>
  Object.keys(fields).map((key) => `${section}.${key}`),
)

test('the page shows every setting of the contract that takes effect, and no other setting', () => {
  const known = Object.entries(settings.shape).flatMap(([section, { shape }]) =>
    Object.keys(shape).map((key) => `${section}.${key}`),
  )
  const effective = known.filter((key) => !(settingsWithoutEffect as readonly string[]).includes(key))
  // The signing key is added, because the API accepts it but never returns it.
  expect(shown.toSorted()).toEqual([...effective, 'webhooks.signing_key'].toSorted())
})

test.each([...Object.keys(settingFields).map((section) => `section.${section}`), ...shown])(
  '%s has a name and help',
  (name) => {
    expect(optionalText(`setting.${name}`)).toBeTruthy()
    expect(optionalText(`settingHelp.${name}`)).toBeTruthy()
  },
)
