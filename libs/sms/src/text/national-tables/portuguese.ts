import type { NationalLanguageTables } from '../septet-table.ts'

export const portuguese: NationalLanguageTables = {
  name: 'Portuguese',
  // 23.038 §A.3.3
  locking: [
    '@ £ $ ¥ ê é ú í ó ç LF Ô ô CR Á á',
    'Δ _ ª Ç À ∞ ^ \\ € Ó | ESC Â â Ê É',
    'SP ! " # º % & \' ( ) * + , - . /',
    '0 1 2 3 4 5 6 7 8 9 : ; < = > ?',
    'Í A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z Ã Õ Ú Ü §',
    '~ a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z ã õ ` ü à',
  ],
  // 23.038 §A.2.3
  single: [
    '-- -- -- -- -- ê -- -- -- ç FF Ô ô -- Á á',
    '-- -- Φ Γ ^ Ω Π Ψ Σ Θ -- -- -- -- -- Ê',
    '-- -- -- -- -- -- -- -- { } -- -- -- -- -- \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| À -- -- -- -- -- -- -- Í -- -- -- -- -- Ó',
    '-- -- -- -- -- Ú -- -- -- -- -- Ã Õ -- -- --',
    '-- Â -- -- -- € -- -- -- í -- -- -- -- -- ó',
    '-- -- -- -- -- ú -- -- -- -- -- ã õ -- -- â',
  ],
}
