import { Button } from '@mantine/core'
import { characterWords, type EncodingMeter, mostParts } from './encoding-meter.ts'

const culpritsShown = 5

/** What the message costs, below what is being written; and which character makes it dear. */
export function MeterLine({
  meter: { encoding, parts, left, perPart, culprits, plain },
  isEmpty,
  onReplace,
}: {
  readonly meter: EncodingMeter
  readonly isEmpty: boolean
  readonly onReplace: (text: string) => void
}) {
  return (
    <div className="composer-meter" id="composer-meter">
      <span>{encoding}</span>
      <span className={parts > mostParts ? 'is-bad' : undefined}>
        {parts} {parts === 1 ? 'part' : 'parts'}
        {parts > mostParts && `, at most ${mostParts} can be sent`}
      </span>
      <span>
        {left} left{parts > 1 && ' in the last one'}
      </span>
      {isEmpty && <span className="composer-hint">Enter sends, Shift + Enter begins a line</span>}
      {culprits.length > 0 && (
        <span className="composer-culprit">
          {culprits.slice(0, culpritsShown).map(characterWords).join(', ')}
          {culprits.length > culpritsShown && ` and ${culprits.length - culpritsShown} more`}{' '}
          {culprits.length === 1 ? 'is' : 'are'} not in GSM-7: {perPart} to a part instead of {parts > 1 ? 153 : 160}.
          {plain !== undefined && (
            <Button size="compact-xs" variant="default" onClick={() => onReplace(plain.text)}>
              Write it plainly{plain.partsSaved > 0 && ` (${plain.partsSaved} fewer parts)`}
            </Button>
          )}
        </span>
      )}
    </div>
  )
}
