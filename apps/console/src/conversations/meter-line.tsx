import { Button } from '@mantine/core'
import { listWords } from '../ui/values/relative-words.ts'
import { rich, t } from '../words/text.ts'
import { characterWords, type EncodingMeter, mostParts } from './encoding-meter.ts'

const culpritsShown = 5

/** Encoding, parts and remaining characters, with the characters that force UCS-2. */
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
        {t('thread.parts', { count: parts })}
        {parts > mostParts && ` ${t('meter.tooLong', { count: mostParts })}`}
      </span>
      <span>{parts > 1 ? t('meter.leftInLast', { count: left }) : t('meter.left', { count: left })}</span>
      {isEmpty && <span className="composer-hint">{rich('meter.keys')}</span>}
      {culprits.length > 0 && (
        <span className="composer-culprit">
          {t('meter.notGsm7', {
            count: culprits.length,
            characters: namesOf(culprits),
            fit: perPart,
            usual: parts > 1 ? 153 : 160,
          })}{' '}
          {plain !== undefined && (
            <Button size="compact-xs" variant="default" onClick={() => onReplace(plain.text)}>
              {plain.partsSaved > 0 ? t('meter.plainSaves', { count: plain.partsSaved }) : t('meter.plain')}
            </Button>
          )}
        </span>
      )}
    </div>
  )
}

function namesOf(culprits: readonly string[]): string {
  const shown = culprits.slice(0, culpritsShown).map(characterWords)
  const others = culprits.length - shown.length
  return listWords(others === 0 ? shown : [...shown, t('meter.others', { count: others })])
}
