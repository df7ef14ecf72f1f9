import type { LucideIcon } from 'lucide-react'
import Activity from 'lucide-react/icons/activity'
import Calendar from 'lucide-react/icons/calendar'
import Check from 'lucide-react/icons/check'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import ClipboardCheck from 'lucide-react/icons/clipboard-check'
import Clock from 'lucide-react/icons/clock'
import CodeXml from 'lucide-react/icons/code-xml'
import Copy from 'lucide-react/icons/copy'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Image from 'lucide-react/icons/image'
import Info from 'lucide-react/icons/info'
import KeyRound from 'lucide-react/icons/key-round'
import Keyboard from 'lucide-react/icons/keyboard'
import Languages from 'lucide-react/icons/languages'
import LogOut from 'lucide-react/icons/log-out'
import MessageSquare from 'lucide-react/icons/message-square'
import Moon from 'lucide-react/icons/moon'
import Plus from 'lucide-react/icons/plus'
import RadioTower from 'lucide-react/icons/radio-tower'
import ScrollText from 'lucide-react/icons/scroll-text'
import Search from 'lucide-react/icons/search'
import Send from 'lucide-react/icons/send'
import Settings from 'lucide-react/icons/settings'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import Smartphone from 'lucide-react/icons/smartphone'
import StickyNote from 'lucide-react/icons/sticky-note'
import Sun from 'lucide-react/icons/sun'
import SunMoon from 'lucide-react/icons/sun-moon'
import Trash from 'lucide-react/icons/trash-2'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import User from 'lucide-react/icons/user'
import Webhook from 'lucide-react/icons/webhook'
import X from 'lucide-react/icons/x'

/** Imports each icon separately. With a common import, the build would read the thousands of icons of the package. */
const icons = named({
  access: KeyRound,
  approvals: ClipboardCheck,
  back: ChevronLeft,
  bin: Trash,
  calendar: Calendar,
  clock: Clock,
  conversations: MessageSquare,
  copy: Copy,
  cross: X,
  dark: Moon,
  developers: CodeXml,
  devices: RadioTower,
  down: ChevronDown,
  info: Info,
  keys: Keyboard,
  language: Languages,
  leave: LogOut,
  light: Sun,
  logs: ScrollText,
  more: Ellipsis,
  note: StickyNote,
  onward: ChevronRight,
  options: SlidersHorizontal,
  overview: Activity,
  person: User,
  phone: Smartphone,
  picture: Image,
  plus: Plus,
  search: Search,
  send: Send,
  settings: Settings,
  systemScheme: SunMoon,
  tick: Check,
  warning: TriangleAlert,
  webhooks: Webhook,
})

/** Icons that point in the direction of reading. They are mirrored in right-to-left languages. */
const directional: ReadonlySet<string> = new Set(['back', 'onward', 'send', 'leave', 'conversations'])

export type IconName = keyof typeof icons

/** An icon in the colour of the text. Screen readers skip it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  const Drawing = icons[name]
  return <Drawing size={size} strokeWidth={1.75} className={directional.has(name) ? 'is-directional' : undefined} />
}

/** Gives the icons a type that can be exported; the type that the package declares cannot be exported. */
function named<Name extends string>(drawings: Readonly<Record<Name, LucideIcon>>): Readonly<Record<Name, LucideIcon>> {
  return drawings
}
