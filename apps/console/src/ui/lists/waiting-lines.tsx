import { t } from '../../words/text.ts'
import './waiting-lines.css'

/** Placeholder while content is loaded. */
export function WaitingLines({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="waiting-lines" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: lines }, (_, at) => `line ${at}`).map((key) => (
        <span key={key} />
      ))}
    </div>
  )
}
