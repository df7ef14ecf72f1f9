import type { NationalLanguageTables } from '../septet-table.ts'

export const tamil: NationalLanguageTables = {
  name: 'Tamil',
  // 23.038 §A.3.11
  locking: [
    '-- 0B82 0B83 0B85 0B86 0B87 0B88 0B89 0B8A -- LF -- -- CR 0B8E 0B8F',
    '0B90 -- 0B92 0B93 0B94 0B95 -- -- -- 0B99 0B9A ESC -- 0B9C -- 0B9E',
    'SP ! 0B9F -- -- -- 0BA3 0BA4 ) ( -- -- , -- . 0BA8',
    '0 1 2 3 4 5 6 7 8 9 : ; 0BA9 0BAA -- ?',
    '-- -- 0BAE 0BAF 0BB0 0BB1 0BB2 0BB3 0BB4 0BB5 0BB6 0BB7 0BB8 0BB9 -- --',
    '0BBE 0BBF 0BC0 0BC1 0BC2 -- -- -- 0BC6 0BC7 0BC8 -- 0BCA 0BCB 0BCC 0BCD',
    '0BD0 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0BD7 0BF0 0BF1 0BF2 0BF9',
  ],
  // 23.038 §A.2.11 lists 0BEF both at 0x24 and at 0x25. The digits are in order, so 0x24 must be the digit 8, 0BEE.
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 0964 0965 -- 0BE6 0BE7 0BE8 0BE9',
    '0BEA 0BEB 0BEC 0BED 0BEE 0BEF 0BF3 0BF4 { } 0BF5 0BF6 0BF7 0BF8 0BFA \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
