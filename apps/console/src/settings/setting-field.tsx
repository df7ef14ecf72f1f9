import { NativeSelect, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useId } from 'react'
import type { SettingValue } from '../api/settings.ts'
import { numberWords } from '../ui/values/relative-words.ts'
import { optionalText, t } from '../words/text.ts'
import type { FieldEditor as FieldOf } from './setting-fields.ts'

/** One setting with its name, help and value. An empty field resets the setting to its default. */
export function SettingField({
  name,
  setting,
  value,
  onChange,
}: {
  /** The name in the form `<section>.<key>`. */
  readonly name: string
  readonly setting: FieldOf
  readonly value: SettingValue | undefined
  readonly onChange: (value: SettingValue) => void
}) {
  const id = useId()
  return (
    <div className="setting">
      <div>
        <label htmlFor={id}>{optionalText(`setting.${name}`)}</label>
        <p id={`${id}-about`}>{optionalText(`settingHelp.${name}`)}</p>
      </div>
      <Field id={id} setting={setting} value={value} onChange={onChange} />
    </div>
  )
}

function Field({
  id,
  setting,
  value,
  onChange,
}: {
  readonly id: string
  readonly setting: FieldOf
  readonly value: SettingValue | undefined
  readonly onChange: (value: SettingValue) => void
}) {
  const common = { id, 'aria-describedby': `${id}-about` }
  const written = value === undefined || value === null ? '' : String(value)
  const orNothing = (text: string) => onChange(text === '' ? null : text)
  switch (setting.kind) {
    case 'switch':
      return <Switch {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
    case 'choice':
      return (
        <NativeSelect
          {...common}
          data={setting.choices.map((choice) => ({ value: choice.replace('settingChoice.', ''), label: t(choice) }))}
          value={written}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'number':
      return (
        <TextInput
          {...common}
          type="number"
          min={1}
          step={1}
          placeholder={
            typeof setting.empty === 'number' ? numberWords(setting.empty) : t(`settingEmpty.${setting.empty}`)
          }
          rightSection={'unit' in setting && <span className="setting-unit">{t(`settingUnit.${setting.unit}`)}</span>}
          rightSectionWidth="auto"
          value={written}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : Number(currentTarget.value))}
        />
      )
    case 'time':
      return (
        <TextInput {...common} type="time" value={written} onChange={(event) => orNothing(event.currentTarget.value)} />
      )
    case 'text':
      return <TextInput {...common} value={written} onChange={(event) => orNothing(event.currentTarget.value)} />
    case 'secret':
      return (
        <PasswordInput
          {...common}
          autoComplete="new-password"
          placeholder={t('setting.unchanged')}
          visibilityToggleButtonProps={{ 'aria-label': t('setting.showSecret') }}
          value={written}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}
