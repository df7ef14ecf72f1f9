import type { NationalLanguageTables } from '../septet-table.ts'

export const bengali: NationalLanguageTables = {
  name: 'Bengali',
  // 23.038 §A.3.4
  locking: [
    '0981 0982 0983 0985 0986 0987 0988 0989 098A 098B LF 098C -- CR -- 098F',
    '0990 -- -- 0993 0994 0995 0996 0997 0998 0999 099A ESC 099B 099C 099D 099E',
    'SP ! 099F 09A0 09A1 09A2 09A3 09A4 ) ( 09A5 09A6 , 09A7 . 09A8',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 09AA 09AB ?',
    '09AC 09AD 09AE 09AF 09B0 -- 09B2 -- -- -- 09B6 09B7 09B8 09B9 09BC 09BD',
    '09BE 09BF 09C0 09C1 09C2 09C3 09C4 -- -- 09C7 09C8 -- -- 09CB 09CC 09CD',
    '09CE a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 09D7 09DC 09DD 09F0 09F1',
  ],
  // 23.038 §A.2.4
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * 09E6 09E7 -- 09E8 09E9 09EA 09EB',
    '09EC 09ED 09EE 09EF 09DF 09E0 09E1 09E2 { } 09E3 09F2 09F3 09F4 09F5 \\',
    '09F6 09F7 09F8 09F9 09FA -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
