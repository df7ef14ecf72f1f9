import type { NationalLanguageTables } from '../septet-table.ts'

export const turkish: NationalLanguageTables = {
  name: 'Turkish',
  // 23.038 §A.3.1
  locking: [
    '@ £ $ ¥ € é ù ı ò Ç LF Ğ ğ CR Å å',
    'Δ _ Φ Γ Λ Ω Π Ψ Σ Θ Ξ ESC Ş ş ß É',
    'SP ! " # ¤ % & \' ( ) * + , - . /',
    '0 1 2 3 4 5 6 7 8 9 : ; < = > ?',
    'İ A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z Ä Ö Ñ Ü §',
    'ç a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z ä ö ñ ü à',
  ],
  // 23.038 §A.2.1
  single: [
    '-- -- -- -- -- -- -- -- -- -- FF -- -- -- -- --',
    '-- -- -- -- ^ -- -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- { } -- -- -- -- -- \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| -- -- -- -- -- -- Ğ -- İ -- -- -- -- -- --',
    '-- -- -- Ş -- -- -- -- -- -- -- -- -- -- -- --',
    '-- -- -- ç -- € -- ğ -- ı -- -- -- -- -- --',
    '-- -- -- ş -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
