import type { NationalLanguageTables } from '../septet-table.ts'

export const punjabi: NationalLanguageTables = {
  name: 'Punjabi',
  // 23.038 §A.3.10
  locking: [
    '0A01 0A02 0A03 0A05 0A06 0A07 0A08 0A09 0A0A -- LF -- -- CR -- 0A0F',
    '0A10 -- -- 0A13 0A14 0A15 0A16 0A17 0A18 0A19 0A1A ESC 0A1B 0A1C 0A1D 0A1E',
    'SP ! 0A1F 0A20 0A21 0A22 0A23 0A24 ) ( 0A25 0A26 , 0A27 . 0A28',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 0A2A 0A2B ?',
    '0A2C 0A2D 0A2E 0A2F 0A30 -- 0A32 0A33 -- 0A35 0A36 -- 0A38 0A39 0A3C --',
    '0A3E 0A3F 0A40 0A41 0A42 -- -- -- -- 0A47 0A48 -- -- 0A4B 0A4C 0A4D',
    '0A51 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0A70 0A71 0A72 0A73 0A74',
  ],
  // 23.038 §A.2.10
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 0964 0965 -- 0A66 0A67 0A68 0A69',
    '0A6A 0A6B 0A6C 0A6D 0A6E 0A6F 0A59 0A5A { } 0A5B 0A5C 0A5E 0A75 -- \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
