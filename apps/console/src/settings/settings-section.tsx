import { Button } from '@mantine/core'
import { type SettingValue, useChangeSettings, useSecretsSet } from '../api/settings.ts'
import { useSignedIn } from '../session-context.ts'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { t } from '../words/text.ts'
import { settingConflicts } from './setting-conflicts.ts'
import { SettingField } from './setting-field.tsx'
import {
  editsWith,
  type FieldEditor as Field,
  isOff,
  type SettingsSectionName,
  settingFields,
} from './setting-fields.ts'
import { useEdits } from './unsaved-edits.ts'
import './settings-section.css'

/** Settings of a section are saved together, because some depend on each other. */
export function SettingsSection({
  section,
  stored,
}: {
  readonly section: SettingsSectionName
  readonly stored: Readonly<Record<string, unknown>>
}) {
  const change = useChangeSettings()
  const title = t(`setting.section.${section}`)
  const fields = Object.entries<Field>(settingFields[section])
  const secretsSet = useSecretsSet()
  const { username } = useSignedIn()
  const [changed, setChanged] = useEdits(`${username} ${section}`)
  const hasChanged = Object.keys(changed).length > 0
  const currentValue = (key: string) => (key in changed ? changed[key] : (stored[key] as SettingValue | undefined))
  const conflicts = hasChanged
    ? settingConflicts(section, Object.fromEntries(fields.map(([key]) => [key, currentValue(key)])))
    : {}
  const problems = useFieldProblems(
    change.error,
    fields.map(([key]) => `${section}.${key}`),
  )
  return (
    <Panel title={title} about={t(`settingHelp.section.${section}`)}>
      <form
        ref={problems.form}
        // Switches off the checks of the browser, because its texts are not in the language of the console.
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          // After a refusal of the API, the same values can be saved again: the cause may be outside of this page.
          const isRefused = fields.some(([key]) => problems.of(`${section}.${key}`) !== undefined)
          const wrong = event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')
          if (wrong !== null && !(isRefused && Object.keys(conflicts).length === 0)) return wrong.focus()
          change.mutate(
            { [section]: changed },
            {
              onSuccess: () => {
                setChanged({})
                void showToast(t('settings.saved', { section: title }))
              },
            },
          )
        }}
      >
        {fields.map(([key, setting]) => (
          <SettingField
            key={key}
            name={`${section}.${key}`}
            setting={setting}
            value={currentValue(key)}
            isOff={isOff(setting, currentValue)}
            isSecretSet={secretsSet?.has(`${section}.${key}`)}
            problem={conflicts[key] ?? problems.of(`${section}.${key}`)}
            onChange={(value) => {
              change.reset()
              setChanged(editsWith(section, stored, changed, [key, value]))
            }}
          />
        ))}
        <ProblemNote error={problems.rest} />
        {hasChanged && (
          <div className="page-actions settings-actions">
            <Button type="submit" loading={change.isPending}>
              {t('common.save')}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setChanged({})
                change.reset()
              }}
            >
              {t('settings.discard')}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  )
}
