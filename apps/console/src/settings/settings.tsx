import { useSettings } from '../api/settings.ts'
import { NotificationSettings } from '../notifications/notification-settings.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { t } from '../words/text.ts'
import { type SettingsSectionName, settingFields } from './setting-fields.ts'
import { SettingsSection } from './settings-section.tsx'

export default function Settings() {
  const settings = useSettings()
  return (
    <Page title={t('settings.title')} about={t('settings.about')}>
      <ProblemNote error={settings.error} retry={() => void settings.refetch()} />
      {settings.isPending && <WaitingLines lines={8} />}
      {settings.data &&
        (Object.keys(settingFields) as SettingsSectionName[]).map((section) => (
          <SettingsSection
            key={section}
            section={section}
            stored={settings.data[section] as Readonly<Record<string, unknown>>}
          />
        ))}
      {/* Shown after the sections above have loaded. Otherwise, it would move while somebody clicks. */}
      {!settings.isPending && <NotificationSettings />}
    </Page>
  )
}
