import type { NationalLanguageTables } from '../septet-table.ts'

export const gujarati: NationalLanguageTables = {
  name: 'Gujarati',
  // 23.038 §A.3.5
  locking: [
    '0A81 0A82 0A83 0A85 0A86 0A87 0A88 0A89 0A8A 0A8B LF 0A8C 0A8D CR -- 0A8F',
    '0A90 0A91 -- 0A93 0A94 0A95 0A96 0A97 0A98 0A99 0A9A ESC 0A9B 0A9C 0A9D 0A9E',
    'SP ! 0A9F 0AA0 0AA1 0AA2 0AA3 0AA4 ) ( 0AA5 0AA6 , 0AA7 . 0AA8',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 0AAA 0AAB ?',
    '0AAC 0AAD 0AAE 0AAF 0AB0 -- 0AB2 0AB3 -- 0AB5 0AB6 0AB7 0AB8 0AB9 0ABC 0ABD',
    '0ABE 0ABF 0AC0 0AC1 0AC2 0AC3 0AC4 0AC5 -- 0AC7 0AC8 0AC9 -- 0ACB 0ACC 0ACD',
    '0AD0 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0AE0 0AE1 0AE2 0AE3 0AF1',
  ],
  // 23.038 §A.2.5
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 0964 0965 -- 0AE6 0AE7 0AE8 0AE9',
    '0AEA 0AEB 0AEC 0AED 0AEE 0AEF -- -- { } -- -- -- -- -- \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
