import type { SeptetTable } from '../septet-table.ts'

// 23.038 §6.2.1
export const defaultAlphabet: SeptetTable = [
  '@ £ $ ¥ è é ù ì ò Ç LF Ø ø CR Å å',
  'Δ _ Φ Γ Λ Ω Π Ψ Σ Θ Ξ ESC Æ æ ß É',
  'SP ! " # ¤ % & \' ( ) * + , - . /',
  '0 1 2 3 4 5 6 7 8 9 : ; < = > ?',
  '¡ A B C D E F G H I J K L M N O',
  'P Q R S T U V W X Y Z Ä Ö Ñ Ü §',
  '¿ a b c d e f g h i j k l m n o',
  'p q r s t u v w x y z ä ö ñ ü à',
]

// 23.038 §6.2.1.1. 0x0D is CR2, a control character without a meaning of its own; 0x1B is reserved for another table.
export const defaultExtension: SeptetTable = [
  '-- -- -- -- -- -- -- -- -- -- FF -- -- -- -- --',
  '-- -- -- -- ^ -- -- -- -- -- -- -- -- -- -- --',
  '-- -- -- -- -- -- -- -- { } -- -- -- -- -- \\',
  '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
  '| -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
  '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
]
