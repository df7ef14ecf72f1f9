import { NativeSelect, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useId } from 'react'
import type { SettingValue } from '../api/settings.ts'
import type { SettingText } from './setting-texts.ts'

/** One setting: what it is called, what it does, and its value. An emptied field goes back to what is usual. */
export function SettingField({
  setting,
  value,
  onChange,
}: {
  readonly setting: SettingText
  readonly value: SettingValue | undefined
  readonly onChange: (value: SettingValue) => void
}) {
  const id = useId()
  return (
    <div className="setting">
      <div>
        <label htmlFor={id}>{setting.name}</label>
        <p id={`${id}-about`}>{setting.about}</p>
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
  readonly setting: SettingText
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
          data={setting.choices.map(([choice, label]) => ({ value: choice, label }))}
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
          placeholder={setting.empty}
          rightSection={<span className="setting-unit">{setting.unit}</span>}
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
          placeholder="unchanged"
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is written' }}
          value={written}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}
