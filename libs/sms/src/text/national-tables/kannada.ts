import type { NationalLanguageTables } from '../septet-table.ts'

export const kannada: NationalLanguageTables = {
  name: 'Kannada',
  // 23.038 §A.3.7 lists 0CAA both at 0x24 and at 0x3D. The letters are in the order of the Unicode block, so 0x24 must
  // be 0CA1, between 0CA0 and 0CA2. Phones also use 0CA1.
  locking: [
    '-- 0C82 0C83 0C85 0C86 0C87 0C88 0C89 0C8A 0C8B LF 0C8C -- CR 0C8E 0C8F',
    '0C90 -- 0C92 0C93 0C94 0C95 0C96 0C97 0C98 0C99 0C9A ESC 0C9B 0C9C 0C9D 0C9E',
    'SP ! 0C9F 0CA0 0CA1 0CA2 0CA3 0CA4 ) ( 0CA5 0CA6 , 0CA7 . 0CA8',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 0CAA 0CAB ?',
    '0CAC 0CAD 0CAE 0CAF 0CB0 0CB1 0CB2 0CB3 -- 0CB5 0CB6 0CB7 0CB8 0CB9 0CBC 0CBD',
    '0CBE 0CBF 0CC0 0CC1 0CC2 0CC3 0CC4 -- 0CC6 0CC7 0CC8 -- 0CCA 0CCB 0CCC 0CCD',
    '0CD5 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0CD6 0CE0 0CE1 0CE2 0CE3',
  ],
  // 23.038 §A.2.7
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 0964 0965 -- 0CE6 0CE7 0CE8 0CE9',
    '0CEA 0CEB 0CEC 0CED 0CEE 0CEF 0CDE 0CF1 { } 0CF2 -- -- -- -- \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
