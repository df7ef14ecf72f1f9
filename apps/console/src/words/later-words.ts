// Texts about diagnostics, which few pages show. A page that shows them imports this module, so that the first page of the
// console loads 4 kB less: the build leaves all other texts out of this import, and these texts out of the others
// (vite.config.ts). The other languages are loaded as a whole.
import texts from './en.json' with { type: 'json' }
import { addEnglish } from './text.ts'

addEnglish(texts)
