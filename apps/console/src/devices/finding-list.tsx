import { Badge, type Tone } from '../ui/badge.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { t } from '../words/text.ts'
import { findingWords, type ShownFinding } from './finding-words.ts'
import './finding-list.css'

type Verdict = ShownFinding['verdict']

const tones: Readonly<Record<Verdict, Tone>> = { problem: 'bad', warning: 'warn', ok: 'good' }
const order: readonly Verdict[] = ['problem', 'warning', 'ok']

/** The results of diagnostics, problems first, with the commands that solve them. */
export function FindingList({ findings }: { readonly findings: readonly ShownFinding[] }) {
  const sorted = findings.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
  return (
    <ul className="findings" aria-label={t('diagnostics.results')}>
      {sorted.map((finding) => (
        <ListedFinding key={finding.check + finding.text} finding={finding} />
      ))}
    </ul>
  )
}

function ListedFinding({ finding }: { readonly finding: ShownFinding }) {
  const { check, text, advice, isEnglish } = findingWords(finding)
  return (
    <li>
      <Badge tone={tones[finding.verdict]}>{t(`diagnostics.${finding.verdict}`)}</Badge>
      <div>
        <div lang={isEnglish ? 'en' : undefined} dir="auto">
          <b>{check}</b>
          <p>{text}</p>
          {advice !== undefined && <p className="findings-advice">{advice}</p>}
        </div>
        {finding.commands?.map((command) => (
          <CopyField key={command} name={t('diagnostics.command')} value={command} />
        ))}
      </div>
    </li>
  )
}
