import { Button } from '@mantine/core'
import { useExamineDevice } from '../api/devices.ts'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import { FindingList } from './finding-list.tsx'

/** Runs diagnostics on the device and lists the results, problems first. */
export function ExamineDevice({ id, isOnline }: { readonly id: string; readonly isOnline: boolean }) {
  const examine = useExamineDevice(id)
  return (
    <Panel
      title={t('diagnostics.title')}
      about={t('diagnostics.about')}
      actions={
        <Button variant="default" disabled={!isOnline} loading={examine.isPending} onClick={() => examine.mutate()}>
          {t('diagnostics.run')}
        </Button>
      }
    >
      {!isOnline && <p className="quiet small">{t('diagnostics.offline')}</p>}
      <ProblemNote error={examine.error} />
      {examine.data && (
        <>
          <FindingList findings={examine.data.findings} />
          <p className="small quiet">
            {rich('diagnostics.checkedAt', { when: <RelativeTime at={examine.data.checkedAt} /> })}
          </p>
        </>
      )}
    </Panel>
  )
}
