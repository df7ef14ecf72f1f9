import { useSettings } from '../api/settings.ts'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { sectionTexts } from './setting-texts.ts'
import { SettingsSection } from './settings-section.tsx'

export default function Settings() {
  const settings = useSettings()
  return (
    <Page title="Settings" about="They hold for the whole account. A change reaches connected devices at once.">
      <ProblemNote error={settings.error} retry={() => void settings.refetch()} />
      {settings.isPending && <WaitingLines lines={8} />}
      {settings.data &&
        sectionTexts.map((text) => (
          <SettingsSection
            key={text.section}
            text={text}
            stored={settings.data[text.section as keyof typeof settings.data] as Readonly<Record<string, unknown>>}
          />
        ))}
    </Page>
  )
}
