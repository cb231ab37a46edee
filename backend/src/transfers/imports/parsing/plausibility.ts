/** The letters beyond ASCII of the languages that are written in an encoding. */
const CENTRAL = ['čćšđž', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'ąćęłńóśźż', 'áéíóöőúüű', 'ăâîşţ', 'ëç'];
const ALPHABETS: Partial<Record<string, string[]>> = {
  'windows-1252': [
    'äöüß',
    'éèêëàâîïôùûçœæÿ',
    'áéíóúñü',
    'ãõáéíóúâêôçà',
    'àèéìòù',
    'åäöé',
    'åæøé',
    'åäöšž',
    'áéíóúýðþæö',
    'éëïöü',
    'äöüéèêàâîïôçë',
  ],
  'windows-1250': CENTRAL,
  'iso-8859-2': CENTRAL,
  'windows-1254': ['çğıöşüâîûİ'],
  'windows-1257': ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äöõüšž'],
};

interface Script {
  is: RegExp;
  /** The letters that texts mostly have. */
  common: string;
}
const CYRILLIC: Script = { is: /\p{sc=Cyrillic}/u, common: 'оеаинтсрвлкмдпуі' };
const SCRIPTS: Partial<Record<string, Script>> = {
  'windows-1251': CYRILLIC,
  'koi8-r': CYRILLIC,
  'koi8-u': CYRILLIC,
  'windows-1253': { is: /\p{sc=Greek}/u, common: 'αοιετσνηυρπκλμςάίόέήγδ' },
  'windows-1255': { is: /\p{sc=Hebrew}/u, common: 'יוהלאמרתבשנדםןכ' },
  'windows-1256': { is: /\p{sc=Arabic}/u, common: 'اليمونرتبعدكسةق' },
};

const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]/u;
const EAST_ASIAN_SIGN = /[\u3000-\u303f\uff00-\uffef]/;
/** Signs that texts of all languages have. */
const SIGN = /[€£§°·«»„“”‘’‚–—…¿¡№×½\u00a0©®™²³µ±¢ªº]/;

const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const isAsciiLetter = (character: string): boolean => /[A-Za-z]/.test(character);
const isUpper = (character: string): boolean => /\p{Lu}/u.test(character);
const isLower = (character: string): boolean => /\p{Ll}/u.test(character);
const ofSign = (character: string): number => (SIGN.test(character) ? 0.4 : -1);

/** The value of a character beyond ASCII between two others: 1 for what a text of the encoding has, below 0 for what it hardly has. */
type Judge = (character: string, before: string, after: string) => number;

/** Tells how well the characters beyond ASCII of a text, read in this encoding, look like a language: at most 1. */
export function plausibility(text: string, encoding: string): number {
  const characters = ['', ...text, ''];
  const judges = judgesOf(encoding);
  const sums = judges.map(() => 0);
  let count = 0;
  for (const [at, character] of characters.entries()) {
    if (character <= '\x7f') continue;
    count += 1;
    judges.forEach((judge, of) => {
      sums[of] = (sums[of] ?? 0) + judge(character, characters[at - 1] ?? '', characters[at + 1] ?? '');
    });
  }
  return count === 0 ? 0 : Math.max(...sums) / count;
}

/** One for each language, because a file is rarely in many. */
function judgesOf(encoding: string): Judge[] {
  const script = SCRIPTS[encoding];
  if (script) return [ofScript(script)];
  const alphabets = ALPHABETS[encoding];
  return alphabets ? alphabets.map(alphabet => ofAlphabet(alphabet, alphabets.join(''))) : [ofEastAsia];
}

/** Latin letters beyond ASCII stand alone in a word, and are of one language. */
const ofAlphabet =
  (alphabet: string, all: string): Judge =>
  (character, before, after) => {
    if (!isLetter(character) || SIGN.test(character)) return ofSign(character);
    if ((isLower(before) && isUpper(character)) || (isLower(character) && isUpper(after))) return -1;
    if (before > '\x7f' && isLetter(before) && after > '\x7f' && isLetter(after)) return -0.5;
    const letter = character === 'İ' ? character : character.toLowerCase();
    // No word ends so. But Croatian ones end with the ć that has the same byte.
    if (letter === 'æ' && isLetter(before) && !isLetter(after)) return 0;
    return alphabet.includes(letter) ? 1 : all.includes(letter) ? 0.4 : -1;
  };

/** A word of another script has no Latin letters, and no upper case after lower case. */
const ofScript =
  ({ is, common }: Script): Judge =>
  (character, before, after) => {
    if (!is.test(character)) return ofSign(character);
    if (isAsciiLetter(before) || isAsciiLetter(after)) return -1;
    if (is.test(before) && isLower(before) && isUpper(character)) return -1;
    if (!is.test(before) && !is.test(after)) return 0.4;
    return common.includes(character.toLowerCase()) ? 1 : 0.5;
  };

/** In a text that is not East Asian, what looks like a pair of bytes is often half an ASCII letter, and beside others. */
const ofEastAsia: Judge = (character, before, after) => {
  if (!EAST_ASIAN.test(character)) return EAST_ASIAN_SIGN.test(character) ? 0.4 : -2;
  if (isAsciiLetter(before) || isAsciiLetter(after)) return -1;
  if (before <= '\x7f' && after <= '\x7f') return 0.35;
  return EAST_ASIAN_SIGN.test(character) ? 0.5 : 1;
};
