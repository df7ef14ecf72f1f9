import { Button, NativeSelect, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useId } from 'react'
import type { SettingValue } from '../api/settings.ts'
import { DayTimeField } from '../ui/time-fields/time-fields.tsx'
import { numberWords } from '../ui/values/relative-words.ts'
import { optionalText, t } from '../words/text.ts'
import type { FieldEditor as FieldOf } from './setting-fields.ts'

/** One setting with its name, help and value. An empty field resets the setting to its default. */
export function SettingField({
  name,
  setting,
  value,
  isOff,
  isSecretSet,
  problem,
  onChange,
}: {
  /** The name in the form `<section>.<key>`. */
  readonly name: string
  readonly setting: FieldOf
  readonly value: SettingValue | undefined
  /** True if the setting has no effect, because the setting that it depends on is off. */
  readonly isOff: boolean
  /** For a secret: whether a value is stored. Undefined while this is not known. */
  readonly isSecretSet: boolean | undefined
  readonly problem: string | undefined
  /** The value null resets the setting to its default, and undefined discards its unsaved change. */
  readonly onChange: (value: SettingValue | undefined) => void
}) {
  const id = useId()
  const label = optionalText(`setting.${name}`)
  const description = optionalText(`settingHelp.${name}`)
  const common = { className: 'setting', label, description, error: problem }
  const written = value === undefined || value === null ? '' : String(value)
  const orNothing = (text: string) => onChange(text === '' ? null : text)
  switch (setting.kind) {
    case 'switch':
      return (
        <div className="setting">
          <label htmlFor={id}>{label}</label>
          <p id={`${id}-about`}>{description}</p>
          <Switch
            id={id}
            aria-describedby={`${id}-about`}
            error={problem}
            checked={value === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
        </div>
      )
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
          disabled={isOff}
          dir={written === '' ? undefined : 'ltr'}
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
        <DayTimeField
          {...common}
          disabled={isOff}
          placeholder={isOff ? t('settingEmpty.noTime') : undefined}
          value={written}
          onChange={orNothing}
        />
      )
    case 'text':
      return (
        <TextInput
          {...common}
          dir={written === '' ? undefined : 'ltr'}
          placeholder={t('settingEmpty.noKey')}
          value={written}
          onChange={(event) => orNothing(event.currentTarget.value)}
        />
      )
    case 'secret':
      return (
        <Secret
          common={common}
          isSet={isSecretSet}
          isRemoved={value === null}
          written={written}
          onChange={(text) => onChange(text === '' ? undefined : text)}
        />
      )
  }
}

/** A value that is never shown. It can be replaced or removed. */
function Secret({
  common,
  isSet,
  isRemoved,
  written,
  onChange,
}: {
  readonly common: object
  readonly isSet: boolean | undefined
  /** True if saving removes the value. */
  readonly isRemoved: boolean
  readonly written: string
  readonly onChange: (text: string | null) => void
}) {
  const state = isRemoved ? 'removed' : isSet ? 'set' : 'notSet'
  return (
    <PasswordInput
      {...common}
      autoComplete="new-password"
      placeholder={isSet === false || isRemoved ? t('settingEmpty.noKey') : t('setting.unchanged')}
      visibilityToggleButtonProps={{ 'aria-label': t('setting.showSecret') }}
      inputContainer={(field) => (
        <div>
          {field}
          {isSet !== undefined && (
            <span className="setting-secret">
              <span role="status">{t(`settingSecret.${state}`)}</span>
              {isSet && written === '' && (
                <Button size="compact-sm" variant="subtle" onClick={() => onChange(isRemoved ? '' : null)}>
                  {t(isRemoved ? 'settingSecret.keep' : 'settingSecret.remove')}
                </Button>
              )}
            </span>
          )}
        </div>
      )}
      value={written}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
