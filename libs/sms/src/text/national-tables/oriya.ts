import type { NationalLanguageTables } from '../septet-table.ts'

export const oriya: NationalLanguageTables = {
  name: 'Oriya',
  // 23.038 §A.3.9
  locking: [
    '0B01 0B02 0B03 0B05 0B06 0B07 0B08 0B09 0B0A 0B0B LF 0B0C -- CR -- 0B0F',
    '0B10 -- -- 0B13 0B14 0B15 0B16 0B17 0B18 0B19 0B1A ESC 0B1B 0B1C 0B1D 0B1E',
    'SP ! 0B1F 0B20 0B21 0B22 0B23 0B24 ) ( 0B25 0B26 , 0B27 . 0B28',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 0B2A 0B2B ?',
    '0B2C 0B2D 0B2E 0B2F 0B30 -- 0B32 0B33 -- 0B35 0B36 0B37 0B38 0B39 0B3C 0B3D',
    '0B3E 0B3F 0B40 0B41 0B42 0B43 0B44 -- -- 0B47 0B48 -- -- 0B4B 0B4C 0B4D',
    '0B56 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0B57 0B60 0B61 0B62 0B63',
  ],
  // 23.038 §A.2.9
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 0964 0965 -- 0B66 0B67 0B68 0B69',
    '0B6A 0B6B 0B6C 0B6D 0B6E 0B6F 0B5C 0B5D { } 0B5F 0B70 0B71 -- -- \\',
    '-- -- -- -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
