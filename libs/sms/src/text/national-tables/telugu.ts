import type { NationalLanguageTables } from '../septet-table.ts'

export const telugu: NationalLanguageTables = {
  name: 'Telugu',
  // 23.038 §A.3.12
  locking: [
    '0C01 0C02 0C03 0C05 0C06 0C07 0C08 0C09 0C0A 0C0B LF 0C0C -- CR 0C0E 0C0F',
    '0C10 -- 0C12 0C13 0C14 0C15 0C16 0C17 0C18 0C19 0C1A ESC 0C1B 0C1C 0C1D 0C1E',
    'SP ! 0C1F 0C20 0C21 0C22 0C23 0C24 ) ( 0C25 0C26 , 0C27 . 0C28',
    '0 1 2 3 4 5 6 7 8 9 : ; -- 0C2A 0C2B ?',
    '0C2C 0C2D 0C2E 0C2F 0C30 0C31 0C32 0C33 -- 0C35 0C36 0C37 0C38 0C39 -- 0C3D',
    '0C3E 0C3F 0C40 0C41 0C42 0C43 0C44 -- 0C46 0C47 0C48 -- 0C4A 0C4B 0C4C 0C4D',
    '0C55 a b c d e f g h i j k l m n o',
    'p q r s t u v w x y z 0C56 0C60 0C61 0C62 0C63',
  ],
  // 23.038 §A.2.12 lists 06CC and 06CD, which are in the Arabic block, at 0x22 and 0x23. The digits are in order, so
  // these two must be 0C6C and 0C6D. In later releases 0x65 is empty, but phones send and read € at 0x65, as in every
  // other table of A.2.
  single: [
    '@ £ $ ¥ ¿ " ¤ % & \' FF * + -- - /',
    '< = > ¡ ^ ¡ _ # * -- -- -- 0C66 0C67 0C68 0C69',
    '0C6A 0C6B 0C6C 0C6D 0C6E 0C6F 0C58 0C59 { } 0C78 0C79 0C7A 0C7B 0C7C \\',
    '0C7D 0C7E 0C7F -- -- -- -- -- -- -- -- -- [ ~ ] --',
    '| A B C D E F G H I J K L M N O',
    'P Q R S T U V W X Y Z -- -- -- -- --',
    '-- -- -- -- -- € -- -- -- -- -- -- -- -- -- --',
    '-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --',
  ],
}
