import type { NationalLanguageTables } from '../septet-table.ts'

export const malayalam: NationalLanguageTables = {
  name: 'Malayalam',
  // 23.038 §A.3.8
  locking: [
    '-- 0D02 0D03 0D05 0D06 0D07 0D08 0D09 0D0A 0D0B LF 0D0C -- CR 0D0E 0D0F',
    '0D10 -- 0D12 0D13 0D14 0D15 0D16 0D17 0D18 0D19 0D1A ESC 0D1B 0D1C 0D1D 0D1E',
    'SP ! 0D1F 0D20 0D21 0D22 0D23 0D24 ) ( 0D25 0D26 , 0D27 . 0D28',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 0D2A 0D2B ?',
    '0D2C 0D2D 0D2E 0D2F 0D30 0D31 0D32 0D33 0D34 0D35 0D36 0D37 0D38 0D39 -- 0D3D',
    '0D3E 0D3F 0D40 0D41 0D42 0D43 0D44 -- 0D46 0D47 0D48 -- 0D4A 0D4B 0D4C 0D4D',
    '0D57 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0D60 0D61 0D62 0D63 0D79',
  ],
  // 23.038 §A.2.8
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 0964 0965 -- 0D66 0D67 0D68 0D69',
    '0D6A 0D6B 0D6C 0D6D 0D6E 0D6F 0D70 0D71 { } 0D72 0D73 0D74 0D75 0D7A \\',
    '0D7B 0D7C 0D7D 0D7E 0D7F -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
