import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { type SettingValue, useChangeSettings } from '../api/settings.ts'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { SettingField } from './setting-field.tsx'
import type { SectionText } from './setting-texts.ts'
import './settings-section.css'

/** The settings that belong together are stored together: some hang on each other. */
export function SettingsSection({
  text: { section, title, about, settings },
  stored,
}: {
  readonly text: SectionText
  readonly stored: Readonly<Record<string, unknown>>
}) {
  const change = useChangeSettings()
  const [changed, setChanged] = useState<Readonly<Record<string, SettingValue>>>({})
  const hasChanged = Object.keys(changed).length > 0
  return (
    <Panel title={title} about={about}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            { [section]: changed },
            {
              onSuccess: () => {
                setChanged({})
                notifications.show({ message: `${title}: saved.` })
              },
            },
          )
        }}
      >
        {settings.map((setting) => (
          <SettingField
            key={setting.key}
            setting={setting}
            value={setting.key in changed ? changed[setting.key] : (stored[setting.key] as SettingValue | undefined)}
            onChange={(value) => setChanged({ ...changed, [setting.key]: value })}
          />
        ))}
        <ProblemNote error={change.error} />
        {hasChanged && (
          <div className="page-actions settings-actions">
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setChanged({})
                change.reset()
              }}
            >
              Discard
            </Button>
          </div>
        )}
      </form>
    </Panel>
  )
}
