import type { GammuReading } from './gammu-process.ts'
import type { Field } from './our-reading.ts'

/** Returns the answer of gammu as fields that can be compared. */
export function gammuFields(reading: GammuReading): Readonly<Record<Field, string>> {
  const isReport = reading.type === 'Status_Report'
  const { text, parts } = reading
  const [reference8, reference16, part, of] = parts
  return {
    type: reading.type,
    'service centre': reading.serviceCentre,
    number: reading.number,
    text: isReport ? '' : 'text' in text ? text.text : text.octets,
    coding: isReport ? '' : reading.coding,
    class: isReport ? '' : String(reading.class),
    time: reading.type === 'Submit' ? '' : (reading.dateTime ?? ''),
    status: isReport ? String(reading.status) : '',
    reference: isReport ? String(reading.reference) : '',
    header: isReport ? '' : reading.header,
    parts: isReport || part < 0 ? '' : `${Math.max(reference8, reference16)} ${part}/${of}`,
  }
}
